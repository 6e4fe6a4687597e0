// Fails each call of each operation in turn: the right error comes out, everything is undone, and
// everything still works afterwards. A new placement needs no test of its own here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "tests/conformance/buffer_kinds.hpp"
#include "tests/conformance/devices.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"
#include "tests/support/kernels.hpp"

namespace pinhole::test {

using namespace std::chrono_literals;
using platform::outcome;

namespace {

constexpr std::size_t count = 100;

/// What one run of an operation works with.
struct world {
  std::shared_ptr<faulty_backend> driver;
  device where;
  std::function<made_buffer()> make;
  std::optional<stream> work;
  std::optional<made_buffer> first;
  std::optional<made_buffer> second;

  void fill() { first.emplace(make()); }
  any_buffer<int>& buffer() { return first->buffer; }
  /// The device owns the buffer, and has nothing left to do.
  void hand_over() {
    buffer().to_device(*work);
    add(*work, buffer().device(), 1);
    work->wait(60s);
  }
};

/// What is done, and whether it is a destruction, which reports instead of throwing.
struct operation {
  std::string name;
  bool is_destruction;
  std::function<void(world&)> prepare;
  std::function<void(world&)> act;
};

void destroy(made_buffer& made) {
  const any_buffer<int> doomed = std::move(made.buffer);
}

std::vector<operation> buffer_operations() {
  const auto nothing = [](world&) {};
  const auto filled = [](world& in) { in.fill(); };
  const auto handed_over = [](world& in) {
    in.fill();
    in.hand_over();
  };
  const auto handed_back = [](world& in) {
    in.fill();
    in.hand_over();
    in.buffer().to_host(*in.work);
    in.work->wait(60s);
  };
  const auto two = [](world& in) {
    in.second.emplace(in.make());
    in.fill();
    in.hand_over();
  };
  return {
      {"Made", false, nothing, [](world& in) { in.fill(); }},
      {"HandedOver", false, filled, [](world& in) { in.buffer().to_device(*in.work); }},
      {"HandedOverInPart", false, filled, [](world& in) { in.buffer().to_device(*in.work, 3, 5); }},
      {"HandedBack", false, handed_over, [](world& in) { in.buffer().to_host(*in.work); }},
      {"HandedBackInPart", false, handed_over,
       [](world& in) { in.buffer().to_host(*in.work, 3, 5); }},
      {"HandedBackAgain", false, handed_back, [](world& in) { in.buffer().to_host(*in.work); }},
      {"Read", false, filled,
       [](world& in) {
         std::array<int, 4> out{};
         in.buffer().read(7, out);
       }},
      {"Written", false, filled,
       [](world& in) {
         const std::array<int, 4> values{};
         in.buffer().write(7, values);
       }},
      {"DestroyedIdle", true, filled, [](world& in) { destroy(*in.first); }},
      {"DestroyedWhileTheDeviceOwnsIt", true, handed_over, [](world& in) { destroy(*in.first); }},
      {"DestroyedAfterItsReturn", true, handed_back, [](world& in) { destroy(*in.first); }},
      {"ReplacedWhileTheDeviceOwnsIt", true, two,
       [](world& in) { in.first->buffer = std::move(in.second->buffer); }},
      {"LeftBehindByItsStream", true, handed_over, [](world& in) { in.work.reset(); }},
      {"DestroyedAfterItsStream", true,
       [=](world& in) {
         handed_over(in);
         in.work.reset();
       },
       [](world& in) { destroy(*in.first); }},
  };
}

std::vector<operation> stream_operations() {
  static std::array<int, count> data;  // the devices that work in place see it: CPU ones
  const auto nothing = [](world&) {};
  return {
      {"Made", false, [](world& in) { in.work.reset(); },
       [](world& in) { in.work.emplace(in.where); }},
      {"Destroyed", true, nothing, [](world& in) { in.work.reset(); }},
      {"Replaced", true, nothing,
       [](world& in) {
         stream another = std::move(*in.work);
         in.work.reset();
         another = stream(device::cpu());
       }},
      {"WaitedFor", false, nothing, [](world& in) { in.work->wait(60s); }},
      {"Asked", false, nothing, [](world& in) { (void)in.work->is_done(); }},
      {"LaunchedOn", false,
       [](world& in) {
         in.fill();
         in.buffer().to_device(*in.work);
       },
       [](world& in) { add(*in.work, in.buffer().device(), 1); }},
      {"CopiedToTheDevice", false,
       [](world& in) {
         in.first.emplace(made_buffer{nullptr, staged_buffer<int>(in.where, count)});
       },
       [](world& in) {
         copy_to_device<int>(in.where, in.buffer().device(), std::span<const int>(data));
       }},
      {"CopiedToTheHost", false,
       [](world& in) {
         in.first.emplace(made_buffer{nullptr, staged_buffer<int>(in.where, count)});
       },
       [](world& in) { copy_to_host<int>(in.where, std::span<int>(data), in.buffer().device()); }},
      {"Described", false, nothing, [](world& in) { (void)in.where.capabilities(); }},
  };
}

/// What is made to happen at the failing call.
struct injection {
  const char* name;
  outcome what;
  bool device_is_lost;  // and every later call fails as well
};
constexpr std::array injections = {
    injection{"failed", outcome::failed, false},
    injection{"out of memory", outcome::out_of_memory, false},
    injection{"not permitted", outcome::not_permitted, false},
    injection{"device failed", outcome::device_failed, false},
    injection{"device lost", outcome::device_failed, true},
};

/// Runs an operation with one call failing, and looks at everything afterwards.
class one_run {
 public:
  one_run(const device_case& on, const buffer_kind* kind, const operation& what)
      : what_(what), in_(world_on(on, kind)) {
    what_.prepare(in_);
  }

  void inject(const injection& how, std::size_t number, counted which) {
    if (how.device_is_lost) {
      in_.driver->lose_device(number, which);
    } else {
      in_.driver->fail_call(number, how.what, which);
    }
    what_happens_ = how.what;
  }

  void act() {
    try {
      what_.act(in_);
    } catch (const error& thrown) {
      thrown_ = thrown;
    }
    failed_ = in_.driver->failed();
    slot_was_set_ = in_.driver->last_error_is_set();
  }

  [[nodiscard]] faulty_backend& driver() const { return *in_.driver; }
  [[nodiscard]] bool call_was_failed() const { return failed_.has_value(); }
  [[nodiscard]] const std::optional<error>& thrown() const { return thrown_; }

  void expect_the_right_error() const {
    ASSERT_TRUE(failed_);
    EXPECT_FALSE(slot_was_set_) << "an innocent kernel would be blamed";
    if (!what_.is_destruction) {
      ASSERT_TRUE(thrown_) << to_string(*failed_) << " failed and nothing was thrown";
      EXPECT_EQ(thrown_->call(), to_string(*failed_)) << thrown_->what();
      EXPECT_EQ(thrown_->kind(), platform::to_error({what_happens_, "", ""}, "").kind());
      EXPECT_EQ(thrown_->is_sticky(), what_happens_ == outcome::device_failed);
      EXPECT_NE(thrown_->asked(), "");
      return;
    }
    EXPECT_FALSE(thrown_) << "a destructor threw " << thrown_->what();
    // A release that is not permitted now is tried again later, and is no failure yet. What a
    // destructor merely asks or marks it can make up for in other ways.
    if (is_release(*failed_) && what_happens_ != outcome::not_permitted) {
      const auto reported = log_.errors();
      ASSERT_FALSE(reported.empty()) << to_string(*failed_) << " failed and nobody heard";
      EXPECT_EQ(reported.front().call(), to_string(*failed_));
    }
  }

  /// The device and the objects that the operation left behind are as good as new.
  void expect_all_still_works() {
    in_.driver->heal();
    if (!in_.work) {
      in_.work.emplace(in_.where);
    }
    in_.work->wait(60s);  // what was queued before the failure
    if (!in_.first || in_.buffer().empty()) {
      in_.first.reset();
      in_.fill();
    }
    expect_round_trip(in_.buffer(), *in_.work);
  }

  void expect_nothing_is_left() {
    in_.first.reset();
    in_.second.reset();
    in_.work.reset();
    EXPECT_EQ(in_.where.collect(), 0U);
    EXPECT_EQ(driver().live(), live_resources{});
    EXPECT_EQ(driver().wrong_releases(), 0U);
    EXPECT_EQ(pin_budget::process().in_use(), pinned_before_);
  }

 private:
  static world world_on(const device_case& on, const buffer_kind* kind) {
    auto driver = std::make_shared<faulty_backend>(on.driver());
    const auto where = platform::make_device(driver, on.id, on.name);
    where.tuning().destroy_wait = 100ms;
    world made{.driver = std::move(driver),
               .where = where,
               .make = {},
               .work = {},
               .first = {},
               .second = {}};
    made.make = [=] {
      return kind != nullptr ? kind->make(where, count)
                             : made_buffer{nullptr, mapped_buffer<int>(where, count)};
    };
    made.work.emplace(where);
    return made;
  }

  const operation& what_;
  std::uint64_t pinned_before_ = pin_budget::process().in_use();
  cleanup_log log_;
  world in_;
  outcome what_happens_ = outcome::ok;
  std::optional<error> thrown_;
  std::optional<primitive> failed_;
  bool slot_was_set_ = false;
};

void fail_each_call(const device_case& on, const buffer_kind* kind, const operation& what) {
  std::size_t commands = 0;
  std::size_t queries = 0;
  {
    one_run unfailed(on, kind, what);
    unfailed.driver().heal();
    unfailed.act();
    ASSERT_FALSE(unfailed.thrown()) << unfailed.thrown()->what();
    commands = unfailed.driver().calls(counted::commands);
    // A waiting loop asks again and again; its first questions stand for all.
    queries = std::min<std::size_t>(3, unfailed.driver().calls(counted::queries));
    unfailed.expect_all_still_works();
    unfailed.expect_nothing_is_left();
  }
  for (const auto& how : injections) {
    for (std::size_t i = 0; i < commands + queries; ++i) {
      const bool is_command = i < commands;
      const std::size_t number = is_command ? i : i - commands;
      SCOPED_TRACE(std::string(how.name) + " at " + (is_command ? "command " : "query ") +
                   std::to_string(number));
      one_run run(on, kind, what);
      run.inject(how, number, is_command ? counted::commands : counted::queries);
      run.act();
      if (run.call_was_failed()) {
        run.expect_the_right_error();
      } else {
        EXPECT_FALSE(is_command) << "the operation made fewer calls than before";
      }
      run.expect_all_still_works();
      run.expect_nothing_is_left();
    }
  }
}

void PrintTo(const operation& what, std::ostream* out) {
  *out << what.name;
}

using buffer_fault = std::tuple<operation, buffer_kind, device_case>;
using stream_fault = std::tuple<operation, device_case>;

std::string name_of_buffer_fault(const testing::TestParamInfo<buffer_fault>& info) {
  const auto& [what, kind, on] = info.param;
  return kind.name + "_" + what.name + "_on_" + on.name;
}

std::string name_of_stream_fault(const testing::TestParamInfo<stream_fault>& info) {
  const auto& [what, on] = info.param;
  return what.name + "_on_" + on.name;
}

class BufferFaults : public testing::TestWithParam<buffer_fault> {};
class StreamFaults : public testing::TestWithParam<stream_fault> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BufferFaults);
INSTANTIATE_TEST_SUITE_P(Every, BufferFaults,
                         testing::Combine(testing::ValuesIn(buffer_operations()),
                                          testing::ValuesIn(buffer_kinds()),
                                          testing::ValuesIn(devices_under_test())),
                         name_of_buffer_fault);

TEST_P(BufferFaults, AreReportedAndUndone) {
  const auto& [what, kind, on] = GetParam();
  if (const auto reason = why_not_supported(kind, platform::make_device(on.driver(), on.id, ""))) {
    GTEST_SKIP() << "waived: " << *reason;
  }
  fail_each_call(on, &kind, what);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StreamFaults);
INSTANTIATE_TEST_SUITE_P(Every, StreamFaults,
                         testing::Combine(testing::ValuesIn(stream_operations()),
                                          testing::ValuesIn(devices_under_test())),
                         name_of_stream_fault);

TEST_P(StreamFaults, AreReportedAndUndone) {
  const auto& [what, on] = GetParam();
  fail_each_call(on, nullptr, what);
}

}  // namespace
}  // namespace pinhole::test
