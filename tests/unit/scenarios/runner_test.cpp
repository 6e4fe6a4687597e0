// The runner's promises: what it calls, in which order, and what it makes of the times.
#include "scenarios/runner.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pinhole::scenarios {
namespace {

/// Writes down every call, and answers as it was told to.
class recorded_arm : public arm {
 public:
  recorded_arm(std::string name, role stands_for, std::vector<std::string>& log)
      : name_(std::move(name)), role_(stands_for), log_(log) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] role stands_for() const override { return role_; }
  void prepare() override { log_.push_back(name_ + " prepare"); }
  void run() override {
    log_.push_back(name_ + " run");
    ++runs_;
  }
  [[nodiscard]] std::optional<std::string> check() override {
    log_.push_back(name_ + " check");
    return wrong_from_run > 0 && runs_ >= wrong_from_run
               ? std::optional<std::string>("element 3: expected 7, got 8")
               : std::nullopt;
  }
  [[nodiscard]] traffic moved() const override { return {.to_device = 5, .to_host = 6}; }
  [[nodiscard]] std::optional<std::vector<double>> own_times_us() override { return own_times; }

  int wrong_from_run = 0;  ///< 0: never
  std::optional<std::vector<double>> own_times = std::vector<double>{1.0};

 private:
  std::string name_;
  role role_;
  std::vector<std::string>& log_;
  int runs_ = 0;
};

struct Runner : ::testing::Test {
  recorded_arm& add(std::string name, role stands_for) {
    auto made = std::make_unique<recorded_arm>(std::move(name), stands_for, log);
    auto& reference = *made;
    work.arms.push_back(std::move(made));
    return reference;
  }
  trial_result run_rounds(unsigned repeat) {
    return run("fake", work, {.repeat = repeat, .seconds = 1, .progress = {}});
  }

  std::vector<std::string> log;
  trial work{.label = "small",
             .units = 2,
             .unit = "turn",
             .read_as = reading::time,
             .arms = {},
             .notes = {"shrunk"}};
};

TEST_F(Runner, VerifiesWarmsUpMeasuresAndVerifiesAgain) {
  add("a", role::naive_copy);
  (void)run_rounds(1);
  const std::vector<std::string> expected = {"a prepare", "a run", "a check",  // verified
                                             "a prepare", "a run", "a prepare",
                                             "a run",                           // warmed up
                                             "a prepare", "a run",              // measured
                                             "a prepare", "a run", "a check"};  // verified again
  EXPECT_EQ(log, expected);
}

TEST_F(Runner, ChecksTheMeasuredRunsOfATrialWhoseRunsAreLong) {
  work.checks_each_run = true;
  add("a", role::naive_copy).wrong_from_run = 2;
  (void)run_rounds(1);
  EXPECT_EQ(log, (std::vector<std::string>{"a prepare", "a run", "a check"}));
  EXPECT_THROW((void)run_rounds(1), wrong_result);
}

TEST_F(Runner, RotatesTheOrderFromRoundToRound) {
  for (const char* name : {"a", "b", "c"}) {
    add(name, role::pitfall);  // never verified: the log holds runs alone after the warm-up
  }
  (void)run_rounds(3);
  std::string order;
  for (const auto& line : log) {
    if (line.ends_with("run")) {
      order += line.front();
    }
  }
  EXPECT_EQ(order,
            "aabbcc"
            "abc"
            "bca"
            "cab");
}

TEST_F(Runner, RunsAnArmUnmeasuredBeforeItIsMeasuredWhereTheTrialAsksForIt) {
  work.unmeasured_runs = 1;
  work.warm_up_runs = 0;
  for (const char* name : {"a", "b"}) {
    add(name, role::pitfall);  // never verified
  }
  const auto result = run_rounds(2);
  EXPECT_EQ(result.arms[0].samples_us.size(), 2U);
  std::string order;
  for (const auto& line : log) {
    order += line.ends_with("run") ? line.substr(0, 1) : "";
  }
  EXPECT_EQ(order,
            "aabb"
            "bbaa");
}

TEST_F(Runner, NamesTheElementOfAWrongResult) {
  add("a", role::naive_copy);
  add("b", role::in_place).wrong_from_run = 1;
  try {
    (void)run_rounds(1);
    FAIL() << "a wrong result went unnoticed";
  } catch (const wrong_result& wrong) {
    EXPECT_STREQ(wrong.what(), "fake/small/b: element 3: expected 7, got 8");
  }
}

TEST_F(Runner, NoticesAResultThatGoesWrongWhileItIsMeasured) {
  add("a", role::naive_copy).wrong_from_run = 5;  // verified with run 1, warm after run 3
  EXPECT_THROW((void)run_rounds(4), wrong_result);
}

TEST_F(Runner, ComparesWithTheFastestArmOfEachKind) {
  add("slow copy", role::naive_copy).own_times = {8.0};
  add("copy", role::naive_copy).own_times = {6.0};
  add("expert", role::expert_copy).own_times = {3.0};
  add("mapped", role::in_place).own_times = {2.0};
  add("mistake", role::pitfall).own_times = {1.0};
  const auto result = run_rounds(2);
  EXPECT_EQ(result.naive_opponent, "copy");
  EXPECT_EQ(result.expert_opponent, "expert");
  EXPECT_DOUBLE_EQ(result.arms[3].vs_naive.value(), 3.0);
  EXPECT_DOUBLE_EQ(result.arms[3].vs_expert.value(), 1.5);
  EXPECT_FALSE(result.arms[4].vs_naive.has_value());
  EXPECT_FALSE(result.arms[4].vs_expert.has_value());
}

TEST_F(Runner, KeepsEverySampleInItsOrder) {
  auto& one = add("a", role::naive_copy);
  one.own_times = {5.0, 1.0, 3.0};
  const auto result = run_rounds(2);
  EXPECT_EQ(result.arms[0].samples_us, (std::vector<double>{5.0, 1.0, 3.0, 5.0, 1.0, 3.0}));
  EXPECT_DOUBLE_EQ(result.arms[0].median_us, 3.0);
  EXPECT_DOUBLE_EQ(result.arms[0].p99_us, 5.0);
  EXPECT_EQ(result.arms[0].moved.to_device, 5U);
  EXPECT_EQ(result.arms[0].moved.to_host, 6U);
  EXPECT_EQ(result.notes, std::vector<std::string>{"shrunk"});
}

TEST_F(Runner, TakesTheTimeWhereAnArmDoesNot) {
  add("a", role::naive_copy).own_times.reset();
  const auto result = run_rounds(7);
  ASSERT_EQ(result.arms[0].samples_us.size(), 7U);
  EXPECT_GT(result.arms[0].median_us, 0.0);
}

TEST_F(Runner, NeverRepeatsMoreOftenThanTheTrialAllows) {
  work.most_repeats = 4;
  add("a", role::naive_copy);
  EXPECT_EQ(run_rounds(100).arms[0].samples_us.size(), 4U);
}

TEST_F(Runner, FillsTheTimeWithFiveToAThousandRounds) {
  add("a", role::naive_copy);
  const auto rushed = run("fake", work, {.repeat = {}, .seconds = 0, .progress = {}});
  EXPECT_EQ(rushed.arms[0].samples_us.size(), 5U);
  const auto calm = run("fake", work, {.repeat = {}, .seconds = 3600, .progress = {}});
  EXPECT_EQ(calm.arms[0].samples_us.size(), 1000U);
}

TEST_F(Runner, ReportsProgressThatGrowsToOne) {
  add("a", role::naive_copy);
  std::vector<double> seen;
  (void)run("fake", work,
            {.repeat = 4, .seconds = 1, .progress = [&](double done) { seen.push_back(done); }});
  EXPECT_EQ(seen, (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
}

TEST_F(Runner, StopsWhenProgressThrows) {
  add("a", role::naive_copy);
  struct enough {};
  EXPECT_THROW((void)run("fake", work,
                         {.repeat = 4, .seconds = 1, .progress = [](double) { throw enough{}; }}),
               enough);
}

TEST(Statistics, MedianIsTheMiddleOrTheMeanOfTheTwo) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(median({}), 0);
}

TEST(Statistics, PercentileIsTheNearestRank) {
  std::vector<double> hundred;
  for (int i = 100; i > 0; --i) {
    hundred.push_back(i);
  }
  EXPECT_DOUBLE_EQ(percentile(hundred, 0.99), 99);
  EXPECT_DOUBLE_EQ(percentile(hundred, 1.0), 100);
  EXPECT_DOUBLE_EQ(percentile(hundred, 0.5), 50);
  EXPECT_DOUBLE_EQ(percentile({7}, 0.01), 7);
  EXPECT_DOUBLE_EQ(percentile({}, 0.5), 0);
}

}  // namespace
}  // namespace pinhole::scenarios
