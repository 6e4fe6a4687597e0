// What the VRAM tests share: a GPU whose memory the CPU reaches.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/vram_buffer.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::test {

using namespace std::chrono_literals;

/// Waives its tests, with the reason, where there is no GPU or no road to its memory.
class VramOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (where.kind() != device_kind::cuda) {
      GTEST_SKIP() << "waived: there is no GPU: " << device::why_no_gpu();
    }
    if (const auto open = vram_in_cpu_address_space(where); !open) {
      GTEST_SKIP() << "waived: " << open.reason;
    }
  }

  /// What the device holds, by an explicit copy.
  template <class T>
  [[nodiscard]] std::vector<T> on_device(const vram_buffer<T>& buffer) const {
    std::vector<T> bytes(buffer.size());
    copy_to_host<T>(where, std::span<T>(bytes), buffer.device());
    return bytes;
  }

  /// The whole on this thread, and again on a second one.
  template <class Body>
  static void on_two_threads(const Body& body) {
    body();
    std::thread(body).join();
  }

  device where = device::first();
};

}  // namespace pinhole::test
