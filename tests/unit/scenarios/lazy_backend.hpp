// A device that breaks its promises, to see which arms of a scenario are found out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/arms.hpp"
#include "scenarios/runner.hpp"
#include "tests/support/faulty_backend.hpp"

namespace pinhole::test {

/// Can be told to do nothing and say that it did.
class lazy_backend : public faulty_backend {
 public:
  using faulty_backend::faulty_backend;
  bool skips_kernels = false;
  bool skips_copies = false;

  platform::status launch(const launch_request& what, platform::native_stream work) override;
  platform::status copy_async(void* to, const void* from, std::size_t bytes, platform::copy_way way,
                              platform::native_stream work) override;
  platform::status copy_now(void* to, const void* from, std::size_t bytes,
                            platform::copy_way way) override;
};

/// Names of the arms whose results were found wrong although the device was fine when they were
/// made, and what they were found to differ in.
struct finding {
  std::string arm;
  std::string difference;
};
std::vector<finding> wrong_arms(std::string_view scenario, const scenarios::settings& asked,
                                lazy_backend& lazy, bool lazy_backend::* skipping);

}  // namespace pinhole::test

namespace pinhole::scenarios::test {
/// How many placements are compared with the copies.
inline std::size_t placements_of(const settings& asked) {
  return placements_anywhere(asked).size();
}
}  // namespace pinhole::scenarios::test
