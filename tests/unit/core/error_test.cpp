// The exception type: its text, its parts, and the handler for what fails in destructors.
#include "pinhole/core/error.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "tests/support/expect_error.hpp"

namespace pinhole {
namespace {

error made_of(std::string asked, std::string call = {}, std::string status = {},
              std::string remedy = {}) {
  error_parts parts;
  parts.asked = std::move(asked);
  parts.call = std::move(call);
  parts.status = std::move(status);
  parts.remedy = std::move(remedy);
  return error(parts);
}

error full_error() {
  return error({.kind = fault::device_failed,
                .asked = "allocate 4 GiB on cuda:0",
                .call = "cudaMalloc",
                .status = "cudaErrorIllegalAddress",
                .remedy = "start again",
                .sticky = true,
                .survives = "host memory stays readable"});
}

TEST(Error, ReadsAskedThenCallThenStatusThenRemedy) {
  const error plain =
      made_of("allocate 4 GiB", "cudaMalloc", "cudaErrorMemoryAllocation", "ask for less");
  EXPECT_STREQ(plain.what(),
               "cannot allocate 4 GiB: cudaMalloc failed with cudaErrorMemoryAllocation; ask for "
               "less");
}

TEST(Error, LeavesEmptyPartsOut) {
  EXPECT_STREQ(made_of("wait").what(), "cannot wait");
  EXPECT_STREQ(made_of("wait", "poll").what(), "cannot wait: poll failed");
  EXPECT_STREQ(made_of("wait", "", "it is too late").what(), "cannot wait: it is too late");
}

TEST(Error, SaysThatTheDeviceIsLostAndWhatSurvives) {
  const std::string text = full_error().what();
  EXPECT_NE(text.find("the device is lost"), std::string::npos) << text;
  EXPECT_NE(text.find("host memory stays readable"), std::string::npos) << text;
  EXPECT_EQ(std::string(made_of("wait").what()).find("lost"), std::string::npos);
}

TEST(Error, KeepsItsParts) {
  const error all = full_error();
  EXPECT_EQ(all.kind(), fault::device_failed);
  EXPECT_EQ(all.asked(), "allocate 4 GiB on cuda:0");
  EXPECT_EQ(all.call(), "cudaMalloc");
  EXPECT_EQ(all.status(), "cudaErrorIllegalAddress");
  EXPECT_EQ(all.remedy(), "start again");
  EXPECT_TRUE(all.is_sticky());
  EXPECT_EQ(all.survives(), "host memory stays readable");
}

TEST(Error, CopiesShareTheirTextAndNeverThrow) {
  static_assert(std::is_nothrow_copy_constructible_v<error>);
  static_assert(std::is_nothrow_copy_assignable_v<error>);
  const error first = full_error();
  const error copy = first;
  EXPECT_EQ(&first.asked(), &copy.asked());
  EXPECT_STREQ(first.what(), copy.what());
}

TEST(Error, IsCaughtAsAStandardException) {
  EXPECT_THROW(throw full_error(), std::runtime_error);
}

TEST(Error, NamesEveryFaultAsItIsSpelled) {
  EXPECT_EQ(to_string(fault::invalid_argument), "invalid_argument");
  EXPECT_EQ(to_string(fault::moved_from), "moved_from");
  EXPECT_EQ(to_string(fault::out_of_memory), "out_of_memory");
  EXPECT_EQ(to_string(fault::over_budget), "over_budget");
  EXPECT_EQ(to_string(fault::not_supported), "not_supported");
  EXPECT_EQ(to_string(fault::already_registered), "already_registered");
  EXPECT_EQ(to_string(fault::timed_out), "timed_out");
  EXPECT_EQ(to_string(fault::device_failed), "device_failed");
  EXPECT_EQ(to_string(fault::io), "io");
  EXPECT_EQ(to_string(fault::cancelled), "cancelled");
  EXPECT_EQ(to_string(fault::call_failed), "call_failed");
}

TEST(Error, RejectNamesWhatWasAskedAndWhy) {
  test::expect_error(fault::invalid_argument, {"cannot copy: the sizes differ"},
                     [] { detail::reject("copy", "the sizes differ"); });
}

TEST(CleanupHandler, ReceivesWhatIsReported) {
  const test::cleanup_log log;
  detail::report_cleanup(full_error());
  ASSERT_EQ(log.errors().size(), 1U);
  EXPECT_STREQ(log.errors().front().what(), full_error().what());
}

TEST(CleanupHandler, IsReturnedByTheNextSetAndNullDiscards) {
  const cleanup_handler mine = [](const error&) noexcept { FAIL(); };
  const cleanup_handler before = set_cleanup_handler(mine);
  EXPECT_EQ(set_cleanup_handler(nullptr), mine);
  detail::report_cleanup(full_error());  // nobody hears it, and nothing happens
  EXPECT_EQ(set_cleanup_handler(before), nullptr);
}

}  // namespace
}  // namespace pinhole
