// The work of `matrix`: the values of a sparse product whose pattern is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pinhole/core/view.hpp"
#include "pinhole/platform/stream.hpp"
#include "scenarios/sparse_result.hpp"

namespace pinhole::scenarios {

/// One element of a sparse matrix that is not zero.
struct entry {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  float value = 0;
};

/// Two sparse matrices, as lists of their entries in any order. The first is edge x inner, the
/// second inner x edge, so that their product is edge x edge.
struct factors {
  std::uint32_t edge = 0;
  std::uint32_t inner = 0;
  std::vector<entry> first;
  std::vector<entry> second;
};

/// Factors, drawn with `seed`, whose product has exactly `nonzeros` elements that are not zero, at
/// most edge * edge. All values are small whole numbers, so that sums are exact in any order. Most
/// entries meet no partner in the other factor.
[[nodiscard]] factors draw_factors(std::uint32_t edge, std::size_t nonzeros, std::uint64_t seed);

/// The numeric half of a sparse product: where the result is not zero is found out on the host,
/// once; the values are the kernel's work. The constructor uploads the factors and waits.
[[nodiscard]] std::shared_ptr<const sparse_job<float>> product_job(const device& where,
                                                                   const factors& from);

namespace detail {

/// Part of a row of the first factor, or of a column of the second.
struct partial {
  std::uint32_t inner = 0;
  float value = 0;
};

/// Where an element of the result is.
struct cell {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
};

/// Rows of the first factor and columns of the second, each ascending by `inner`, one behind the
/// other; those of number i are [starts[i], starts[i + 1]).
struct product_view {
  view<const partial> rows;
  view<const std::uint32_t> row_starts;
  view<const partial> columns;
  view<const std::uint32_t> column_starts;
  view<const cell> cells;  ///< of the result that are wanted
  std::uint32_t edge = 0;
};

/// Queues the kernel.
void multiply(const stream_ref& work, const product_view& what, const sparse_output<float>& into);

}  // namespace detail

}  // namespace pinhole::scenarios
