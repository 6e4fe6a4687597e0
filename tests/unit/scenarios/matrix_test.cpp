// The sparse product against three nested loops over dense matrices, and the scenario as a whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "pinhole/core/units.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "scenarios/sparse_product.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/trials.hpp"

namespace pinhole::scenarios {
namespace {

using namespace std::chrono_literals;

std::vector<float> dense(const std::vector<entry>& entries, std::size_t rows, std::size_t columns) {
  std::vector<float> result(rows * columns);
  for (const entry& one : entries) {
    EXPECT_EQ(result.at(one.row * columns + one.column), 0) << "the same element twice";
    result.at(one.row * columns + one.column) = one.value;
  }
  return result;
}

std::vector<float> dense_product(const factors& from) {
  const auto first = dense(from.first, from.edge, from.inner);
  const auto second = dense(from.second, from.inner, from.edge);
  std::vector<float> result(std::size_t{from.edge} * from.edge);
  for (std::size_t i = 0; i < from.edge; ++i) {
    for (std::size_t j = 0; j < from.edge; ++j) {
      for (std::size_t k = 0; k < from.inner; ++k) {
        result[i * from.edge + j] += first[i * from.inner + k] * second[k * from.edge + j];
      }
    }
  }
  return result;
}

/// What the kernel leaves in a zeroed matrix.
std::vector<float> kernel_product(const factors& from) {
  const device where = device::cpu();
  stream work(where);
  mapped_buffer<float> result(where, std::size_t{from.edge} * from.edge);
  std::ranges::fill(result.host(), 0.0F);
  const auto job = product_job(where, from);
  result.to_device(work);
  job->launch(work, {.whole = result.device(), .list = {}});
  result.to_host(work);
  work.wait(10s);
  return {result.host().begin(), result.host().end()};
}

TEST(SparseProduct, IsTheDenseProduct) {
  for (const std::uint32_t edge : {1U, 2U, 7U, 40U}) {
    for (const std::size_t nonzeros : {1U, 3U, 5U, 49U, 800U}) {
      if (nonzeros <= std::size_t{edge} * edge) {
        const auto drawn = draw_factors(edge, nonzeros, edge + nonzeros);
        EXPECT_EQ(kernel_product(drawn), dense_product(drawn)) << edge << ", " << nonzeros;
      }
    }
  }
}

TEST(SparseProduct, HasAsManyNonZerosAsAskedFor) {
  for (const std::size_t nonzeros : {1U, 4U, 100U, 1600U}) {
    const auto result = dense_product(draw_factors(40, nonzeros, nonzeros));
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(result, 0.0F)), 1600 - nonzeros);
  }
}

TEST(SparseProduct, TheReferenceListsTheDenseProductsNonZeros) {
  const auto drawn = draw_factors(30, 50, 3);
  const auto dense_result = dense_product(drawn);
  const auto job = product_job(device::cpu(), drawn);
  ASSERT_EQ(job->written().size(), 50U);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(job->expected()[i], dense_result[job->written()[i]]);
  }
  EXPECT_TRUE(std::ranges::is_sorted(job->written()));
}

TEST(SparseProduct, TheListHoldsTheValuesInTheOrderOfThePositions) {
  const device where = device::cpu();
  stream work(where);
  const auto job = product_job(where, draw_factors(100, 20, 8));
  mapped_buffer<float> list(where, 20);
  list.to_device(work);
  job->launch(work, {.whole = {}, .list = list.device()});
  list.to_host(work);
  work.wait(10s);
  EXPECT_EQ(std::vector<float>(list.host().begin(), list.host().end()), job->expected());
}

TEST(SparseProduct, FactorsMayComeInAnyOrderWithEmptyLines) {
  const factors from{.edge = 3,
                     .inner = 4,
                     .first = {{.row = 2, .column = 3, .value = 5},
                               {.row = 0, .column = 1, .value = 2},
                               {.row = 2, .column = 0, .value = 7}},
                     .second = {{.row = 3, .column = 0, .value = 10},
                                {.row = 0, .column = 0, .value = 1},
                                {.row = 2, .column = 2, .value = 9}}};
  EXPECT_EQ(kernel_product(from), (std::vector<float>{0, 0, 0, 0, 0, 0, 57, 0, 0}));
}

settings small_matrix() {
  auto asked = test::settings_for(device::cpu());
  asked.size = 64_KiB;
  return asked;
}

TEST(Matrix, IsTheLargestSquareOfTheSize) {
  auto asked = small_matrix();
  asked.nonzeros = 5;
  EXPECT_EQ(find("matrix")->plan(asked).front().label, "128x128 with 5 non-zeros");
  asked.size = 64_KiB - 4;
  EXPECT_EQ(find("matrix")->plan(asked).front().label, "127x127 with 5 non-zeros");
}

TEST(Matrix, InPlaceTheNonZerosAloneCrossBack) {
  auto asked = small_matrix();
  asked.nonzeros = 4;
  const auto results = test::run_all("matrix", asked);
  for (const auto& one : results.front().arms) {
    EXPECT_EQ(one.moved.to_host, one.stands_for == role::naive_copy ? 64_KiB : 16U) << one.name;
  }
}

TEST(Matrix, ByDefaultThreeToFiveElementsAreNotZero) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto asked = small_matrix();
    asked.seed = seed;
    const auto label = find("matrix")->plan(asked).front().label;
    EXPECT_TRUE(label.ends_with(" 3 non-zeros") || label.ends_with(" 4 non-zeros") ||
                label.ends_with(" 5 non-zeros"))
        << label;
  }
}

TEST(Matrix, EveryArmIsRightAndAnIdleOneIsFoundOut) {
  test::expect_right_everywhere("matrix", small_matrix(), "element (");
}

TEST(Matrix, RefusesNoNonZerosAndMoreThanThereAreCells) {
  auto asked = small_matrix();
  for (const std::uint64_t nonzeros : {std::uint64_t{0}, std::uint64_t{128 * 128 + 1}}) {
    asked.nonzeros = nonzeros;
    pinhole::test::expect_error(fault::invalid_argument,
                                {"--nonzeros " + std::to_string(nonzeros), "1 to 16384"},
                                [&] { (void)find("matrix")->plan(asked); });
  }
}

TEST(Matrix, RefusesASizeOfZero) {
  auto asked = test::settings_for(device::cpu());
  asked.size = 0;
  pinhole::test::expect_error(fault::invalid_argument, {"--size 0", "matrix"},
                              [&] { (void)find("matrix")->plan(asked); });
}

}  // namespace
}  // namespace pinhole::scenarios
