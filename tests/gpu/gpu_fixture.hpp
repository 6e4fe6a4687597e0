// What the tests that need a GPU share: they waive themselves without one, and leave no trace.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <chrono>

#include "pinhole/platform/device.hpp"

namespace pinhole::test {

using namespace std::chrono_literals;

/// The first GPU. After each test the runtime's last-error slot is empty and the thread's current
/// device is what it was.
class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (where.kind() != device_kind::cuda) {
      GTEST_SKIP() << "waived: there is no GPU: " << device::why_no_gpu();
    }
    ASSERT_EQ(cudaGetDevice(&current_before_), cudaSuccess);
  }
  void TearDown() override {
    if (where.kind() == device_kind::cuda) {
      int current = -1;
      EXPECT_EQ(cudaGetLastError(), cudaSuccess);
      EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
      EXPECT_EQ(current, current_before_);
    }
  }

  device where = device::first();

 private:
  int current_before_ = -1;
};

/// Fails the test unless a call of the CUDA runtime worked.
inline void must(cudaError_t result) {
  ASSERT_EQ(result, cudaSuccess) << cudaGetErrorName(result);
}

}  // namespace pinhole::test
