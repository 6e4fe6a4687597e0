// The product against schoolbook arithmetic, and the scenario as a whole.
#include <gtest/gtest.h>

#include <vector>

#include "pinhole/memory/mapped_buffer.hpp"
#include "scenarios/multiply.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/lazy_backend.hpp"
#include "tests/unit/scenarios/trials.hpp"

namespace pinhole::scenarios {
namespace {

using namespace std::chrono_literals;
using pinhole::test::expect_error;
using pinhole::test::lazy_backend;

constexpr std::uint64_t row_bytes = matrix_columns * sizeof(weight);

/// Row times vector in wide numbers, reduced at the end.
weight schoolbook(std::span<const weight> row, std::span<const weight> x) {
  unsigned __int128 sum = 0;
  for (std::size_t i = row.size(); i-- > 0;) {
    sum += static_cast<unsigned __int128>(row[i]) * x[i % x.size()];
  }
  return static_cast<weight>(sum % (std::uint64_t{1} << 32U));
}

struct Multiply : ::testing::TestWithParam<std::pair<std::size_t, std::size_t>> {
  static void expect_product(const device& where, std::size_t rows, std::size_t length);
};

TEST_P(Multiply, IsTheSchoolbooksProduct) {
  const auto [rows, length] = GetParam();
  for (const device& where : test::all_devices()) {
    SCOPED_TRACE(where.id());
    expect_product(where, rows, length);
  }
}

void Multiply::expect_product(const device& where, std::size_t rows, std::size_t length) {
  const stream work(where);
  mapped_buffer<weight> weights(where, rows * matrix_columns);
  mapped_buffer<weight> x(where, length);
  mapped_buffer<weight> y(where, rows);
  weight state = 7;
  const auto next = [&] { return state = state * 1664525U + 1013904223U; };
  std::ranges::generate(weights.host(), next);
  std::ranges::generate(x.host(), next);
  multiply(work, weights.device(), x.device(), y.device());
  y.to_host(work);
  work.wait(10s);
  for (std::size_t row = 0; row < rows; ++row) {
    EXPECT_EQ(y.host()[row],
              schoolbook(weights.host().subspan(row * matrix_columns, matrix_columns), x.host()))
        << "row " << row;
  }
}

INSTANTIATE_TEST_SUITE_P(RowsAndLength, Multiply,
                         ::testing::Values(std::pair{1, 8192}, std::pair{5, 5}, std::pair{17, 3},
                                           std::pair{2, 1}, std::pair{2, 9000}));

TEST(MultiplyOf, RefusesSizesThatDoNotFit) {
  const auto cpu = device::cpu();
  const stream work(cpu);
  const mapped_buffer<weight> weights(cpu, 2 * matrix_columns);
  const mapped_buffer<weight> y(cpu, 2);
  expect_error(fault::invalid_argument, {"multiply"}, [&] {
    multiply(work, weights.device().subview(0, matrix_columns), y.device(), y.device());
  });
  expect_error(fault::invalid_argument, {"multiply"},
               [&] { multiply(work, weights.device(), {}, y.device()); });
  expect_error(fault::invalid_argument, {"16 bytes"}, [&] {
    multiply(work, weights.device().subview(1, matrix_columns), y.device(),
             y.device().subview(0, 1));
  });
}

settings small() {
  auto asked = test::settings_for(device::cpu());
  asked.size = 9 * row_bytes;
  return asked;
}

TEST(Compute, EveryArmIsRightOnEveryDevice) {
  for (auto asked = small(); const device& where : test::all_devices()) {
    asked.where = where;
    asked.passes = 3;
    const auto made = find("compute")->plan(asked).at(0).make();
    test::expect_right_and_awake(*made, "row 0 of the result after 3 passes");
  }
}

TEST(Compute, ReadsAllWeightsOverTheLinkInEachPass) {
  const auto results = test::run_all("compute", small());
  ASSERT_EQ(results.size(), 4U);
  for (const auto& one : results) {
    ASSERT_EQ(one.arms.size(), 5U);
    EXPECT_EQ(one.arms[2].moved.to_device,
              static_cast<std::uint64_t>(one.units) * 9 * row_bytes + row_bytes)
        << one.arms[2].name;
    EXPECT_EQ(one.arms[4].placed, placement::vram);
    EXPECT_EQ(one.arms[4].moved.to_device, row_bytes) << "the vector alone";
  }
}

TEST(Compute, RunsThePassesThatWereAskedFor) {
  auto asked = small();
  asked.passes = 5;
  const auto results = test::run_all("compute", asked);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].label, "5 passes a call over 288 KiB");
}

TEST(Compute, SaysFromHowManyPassesOnCopyingIsRight) {
  const auto trial = [](const char* label, double in_place, double expert) {
    trial_result one;
    one.label = label;
    one.arms.resize(2);
    one.arms[0].stands_for = role::in_place;
    one.arms[0].median_us = in_place;
    one.arms[1].stands_for = role::expert_copy;
    one.arms[1].median_us = expert;
    return one;
  };
  const auto lines = find("compute")->conclude({trial("1 pass a call over X", 100, 105),
                                                trial("2 passes a call over X", 200, 106),
                                                trial("4 passes a call over X", 400, 108)});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0],
            "by passes a call: host memory in place is faster at 1 pass, the expert copy at 2 "
            "passes to 4 "
            "passes");
  EXPECT_EQ(lines[1],
            "host memory in place has half the expert copy's speed or less from 4 passes on");
}

TEST(Compute, NamesWhatIsWrong) {
  const auto lazy = std::make_shared<lazy_backend>(platform::make_cpu({}));
  auto asked = small();
  asked.where = platform::make_device(lazy, "lazy", "lazy");
  asked.passes = 2;
  asked.seed = 77;  // what others left in memory is wrong too
  for (const auto skipping : {&lazy_backend::skips_kernels, &lazy_backend::skips_copies}) {
    ++asked.seed;
    const auto found = wrong_arms("compute", asked, *lazy, skipping);
    ASSERT_EQ(found.size(), 5U);
    for (const auto& one : found) {
      EXPECT_NE(one.difference.find("of the result after 2 passes: expected"), std::string::npos)
          << one.arm << ": " << one.difference;
    }
  }
}

TEST(Compute, RefusesPassesThatAreNone) {
  auto asked = small();
  for (const std::uint64_t passes : {std::uint64_t{0}, std::uint64_t{1001}, ~std::uint64_t{0}}) {
    asked.passes = passes;
    expect_error(fault::invalid_argument, {"--passes", "1 to 1000"},
                 [&] { (void)find("compute")->plan(asked); });
  }
  asked.passes.reset();
  asked.size = 4096;
  expect_error(fault::invalid_argument, {"--size 4096", "compute", "multiples of 32 KiB"},
               [&] { (void)find("compute")->plan(asked); });
}

}  // namespace
}  // namespace pinhole::scenarios
