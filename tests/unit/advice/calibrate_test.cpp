// Tests of pinhole/advice/calibrate.hpp on the CPU device: what comes out, not how fast.
#include "pinhole/advice/calibrate.hpp"

#include <gtest/gtest.h>

#include <string>

#include "pinhole/advice/advise.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/advice/sample_profile.hpp"

namespace pinhole {
namespace {

using test::expect_error;

TEST(calibrate, makes_a_profile_that_can_be_written_read_and_advised_by) {
  double before = -1;
  const auto profile =
      calibrate(device::cpu(), {.progress = [&](std::string_view what, double done) {
                  EXPECT_FALSE(what.empty());
                  EXPECT_GE(done, before);
                  before = done;
                }});
  EXPECT_EQ(before, 1);
  EXPECT_EQ(profile.machine.kind, "cpu");
  EXPECT_EQ(profile.method, "quick");
  EXPECT_EQ(to_json(read_profile(to_json(profile))), to_json(profile));
  for (const auto how : {placement::staged, placement::mapped, placement::registered}) {
    EXPECT_NE(profile.find(how), nullptr) << to_string(how);
  }
  EXPECT_GT(profile.launch_wait_us.value, 0);
  EXPECT_NO_THROW((void)advise({.bytes = 1_MiB}, profile));
  EXPECT_EQ(pin_budget::process().in_use(), 0U);
}

TEST(calibrate, ends_when_its_progress_is_stopped) {
  struct stopped {};
  EXPECT_THROW((void)calibrate(device::cpu(),
                               {.progress = [](std::string_view, double) { throw stopped(); }}),
               stopped);
}

TEST(apply, sets_where_reads_of_vram_turn_to_the_copy_engine) {
  auto profile = test::sample_profile();
  const auto where = device::cpu();
  const auto before = where.tuning();
  profile.machine = identity_of(where);
  profile.vram_fetch = vram_fetches{test::exactly(5), test::exactly(0.5)};
  // 0.8 GB/s against 5 us and 55 GB/s: they meet at 4.06 kB.
  EXPECT_NEAR(static_cast<double>(advice::apply(profile, where).vram_read_by_engine_from), 4059, 2);
  EXPECT_NEAR(static_cast<double>(where.tuning().vram_read_by_engine_from), 4059, 2);
  where.tuning() = before;
}

TEST(apply, refuses_the_profile_of_another_machine) {
  expect_error(fault::invalid_argument, {"apply the machine profile to cpu", "'Sample GPU'"},
               [] { (void)advice::apply(test::sample_profile(), device::cpu()); });
}

}  // namespace
}  // namespace pinhole
