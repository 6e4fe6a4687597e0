// The list of kernels that are loaded before one stays.
#include "pinhole/platform/listed_kernel.hpp"

#include <gtest/gtest.h>

namespace pinhole::detail {
namespace {

const int code_of_first = 0;
const int code_of_second = 0;

TEST(ListedKernel, IsFoundFromTheNewestOn) {
  static const auto* const before = listed_kernel::newest();
  // Listed for ever, as kernels are.
  static const listed_kernel first(&code_of_first);
  static const listed_kernel second(&code_of_second);
  ASSERT_EQ(listed_kernel::newest(), &second);
  EXPECT_EQ(second.cuda_kernel(), &code_of_second);
  ASSERT_EQ(second.next(), &first);
  EXPECT_EQ(first.cuda_kernel(), &code_of_first);
  EXPECT_EQ(first.next(), before);
}

}  // namespace
}  // namespace pinhole::detail
