// Tests of pinhole/advice/access_pattern.hpp.
#include "pinhole/advice/access_pattern.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/support/expect_error.hpp"

namespace pinhole {
namespace {

using test::expect_error;

/// `change` makes a sound pattern unsound; the message names the field and what is allowed.
template <class Change>
void expect_refused(const std::string& field, const std::string& allowed, Change change) {
  access_pattern pattern{.bytes = 1024, .touched_units = 4, .unit_bytes = 64};
  EXPECT_NO_THROW(require_valid(pattern));
  change(pattern);
  expect_error(fault::invalid_argument, {field + " is ", "allowed are " + allowed},
               [&] { require_valid(pattern); });
}

TEST(access_pattern, without_touched_units_touches_all_of_them) {
  const access_pattern pattern{.bytes = 1030, .unit_bytes = 64};
  EXPECT_EQ(pattern.units(), 16U);
  EXPECT_EQ(pattern.touched_bytes(), 1024U);
}

TEST(access_pattern, refuses_more_units_than_there_are) {
  expect_refused("touched_units", "1 to 16", [](auto& of) { of.touched_units = 17; });
  expect_refused("touched_units", "1 to 16", [](auto& of) { of.touched_units = 0; });
}

TEST(access_pattern, refuses_units_that_are_empty_or_larger_than_all) {
  expect_refused("unit_bytes", "1 to 1024", [](auto& of) { of.unit_bytes = 0; });
  expect_refused("unit_bytes", "1 to 1024", [](auto& of) { of.unit_bytes = 1025; });
  expect_refused("bytes", "1 and more", [](auto& of) { of.bytes = 0; });
}

TEST(access_pattern, refuses_numbers_that_are_none_or_absurd) {
  for (const double bad :
       {-1.0, 0.0, 1e30, std::nan(""), std::numeric_limits<double>::infinity()}) {
    expect_refused("calls_per_second", "0.000001", [bad](auto& of) { of.calls_per_second = bad; });
    expect_refused("reads_of_each_byte", "1 to", [bad](auto& of) { of.reads_of_each_byte = bad; });
  }
  expect_refused("calls", "1 and more", [](auto& of) { of.calls = 0; });
}

TEST(access_pattern, refuses_roles_that_contradict) {
  expect_refused("device", "reads", [](auto& of) { of.device = access_role::none; });
  expect_refused("memory", "writes", [](auto& of) {
    of.memory = memory_origin::camera;
    of.host = access_role::reads;
  });
}

TEST(access_pattern, knows_what_lies_together) {
  access_pattern pattern{.bytes = 4096, .touched_units = 512, .unit_bytes = 8};
  EXPECT_EQ(units_of_run(pattern), 512U);
  pattern.order = access_order::clustered;
  EXPECT_EQ(units_of_run(pattern), 64U);
  pattern.order = access_order::random;
  EXPECT_EQ(units_of_run(pattern), 1U);
}

}  // namespace
}  // namespace pinhole
