// From what a primitive returns to the error that users see.
#include "platform/status.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/platform.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"

namespace pinhole::platform {
namespace {

TEST(Status, BecomesTheFaultThatCallersReactTo) {
  const std::vector<std::pair<outcome, fault>> meanings = {
      {outcome::invalid_value, fault::invalid_argument},
      {outcome::out_of_memory, fault::out_of_memory},
      {outcome::already_registered, fault::already_registered},
      {outcome::not_registered, fault::call_failed},
      {outcome::not_supported, fault::not_supported},
      {outcome::not_permitted, fault::call_failed},
      {outcome::unloading, fault::call_failed},
      {outcome::device_failed, fault::device_failed},
      {outcome::failed, fault::call_failed},
  };
  for (const auto& [what, kind] : meanings) {
    const auto made = to_error({what, "cudaThing", "cudaErrorThing"}, "do a thing");
    EXPECT_EQ(made.kind(), kind) << to_string(kind);
    EXPECT_EQ(made.asked(), "do a thing");
    EXPECT_EQ(made.call(), "cudaThing");
    EXPECT_EQ(made.status(), "cudaErrorThing");
    EXPECT_EQ(made.is_sticky(), what == outcome::device_failed);
  }
}

TEST(Status, SaysWhatToDoAndWhatSurvives) {
  EXPECT_NE(to_error({outcome::out_of_memory, "a", "b"}, "c").remedy(), "");
  EXPECT_NE(to_error({outcome::not_permitted, "a", "b"}, "c").remedy().find("callback"),
            std::string::npos);
  const auto lost = to_error({outcome::device_failed, "a", "b"}, "c");
  EXPECT_NE(lost.remedy(), "");
  EXPECT_NE(lost.survives().find("host memory"), std::string::npos);
  EXPECT_EQ(to_error({outcome::failed, "a", "b"}, "c").survives(), "");
}

/// A double whose last-error slot holds an injected failure, and that failure's status.
struct failed_call {
  std::shared_ptr<test::faulty_backend> driver =
      std::make_shared<test::faulty_backend>(make_cpu({}));
  status result;

  explicit failed_call(outcome what) {
    native_event mark = nullptr;
    driver->fail_call(0, what);
    result = driver->create_event(&mark);
    EXPECT_TRUE(driver->last_error_is_set());
  }
};

TEST(Require, PassesOkAndThrowsTheRestWithAClearedSlot) {
  const failed_call failure(outcome::out_of_memory);
  EXPECT_NO_THROW(require(*failure.driver, {}, "do nothing"));
  EXPECT_TRUE(failure.driver->last_error_is_set()) << "a call that worked has nothing to clear";
  test::expect_error(fault::out_of_memory, {"cannot make an event", "create_event"},
                     [&] { require(*failure.driver, failure.result, "make an event"); });
  EXPECT_FALSE(failure.driver->last_error_is_set());
}

TEST(Report, PassesTheErrorToTheHandlerWithAClearedSlot) {
  const test::cleanup_log log;
  const failed_call failure(outcome::failed);
  EXPECT_TRUE(report(*failure.driver, {}, "do nothing"));
  EXPECT_FALSE(report(*failure.driver, failure.result, "make an event"));
  ASSERT_EQ(log.errors().size(), 1U);
  EXPECT_EQ(log.errors().front().call(), "create_event");
  EXPECT_FALSE(failure.driver->last_error_is_set());
}

TEST(Report, IsSilentAfterTheDriverHasShutDown) {
  const test::cleanup_log log;
  const failed_call failure(outcome::unloading);
  EXPECT_FALSE(report(*failure.driver, failure.result, "make an event"));
  EXPECT_TRUE(log.errors().empty());
  EXPECT_FALSE(failure.driver->last_error_is_set());
}

}  // namespace
}  // namespace pinhole::platform
