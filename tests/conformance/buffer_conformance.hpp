// What every buffer must do on every device; the tests themselves are in the .cpp files beside.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <tuple>
#include <vector>

#include "pinhole/memory/pin_budget.hpp"
#include "tests/conformance/buffer_kinds.hpp"
#include "tests/conformance/devices.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"

namespace pinhole::test {

using buffer_on_device = std::tuple<buffer_kind, device_case>;
inline std::string name_of(const testing::TestParamInfo<buffer_on_device>& info) {
  return std::get<0>(info.param).name + "_on_" + std::get<1>(info.param).name;
}

/// One kind of buffer on one device, behind a double that fails nothing and counts what lives.
/// After each test nothing may be left, no destructor may have complained, and no last-error slot
/// be set.
class BufferConformance : public testing::TestWithParam<buffer_on_device> {
 protected:
  void SetUp() override;
  void TearDown() override;

  [[nodiscard]] made_buffer make(std::size_t count) const { return kind_.make(where, count); }

  buffer_kind kind_ = std::get<0>(GetParam());
  device_case case_ = std::get<1>(GetParam());
  std::uint64_t pinned_before_ = pin_budget::process().in_use();
  cleanup_log complaints_;
  std::shared_ptr<faulty_backend> driver = std::make_shared<faulty_backend>(case_.driver());
  device where = platform::make_device(driver, case_.id, case_.name);
};

}  // namespace pinhole::test
