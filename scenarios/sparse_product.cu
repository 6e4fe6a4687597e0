// The product as a functor over the cells of the result: each is a row by a column.
#include "pinhole/kernel/for_each_index.cuh"
#include "scenarios/sparse_product.hpp"

namespace pinhole::scenarios::detail {

namespace {

struct multiply_cell {
  product_view what;
  sparse_output<float> into;

  PINHOLE_HD void operator()(std::size_t i) const {
    const cell at = what.cells[i];
    into.put(i, std::size_t{at.row} * what.edge + at.column, row_by_column(at));
  }

 private:
  [[nodiscard]] PINHOLE_HD float row_by_column(const cell& at) const {
    std::uint32_t a = what.row_starts[at.row];
    std::uint32_t b = what.column_starts[at.column];
    const std::uint32_t a_end = what.row_starts[at.row + 1];
    const std::uint32_t b_end = what.column_starts[at.column + 1];
    float sum = 0;
    while (a < a_end && b < b_end) {
      const partial left = what.rows[a];
      const partial right = what.columns[b];
      sum += left.inner == right.inner ? left.value * right.value : 0;
      a += left.inner <= right.inner ? 1 : 0;
      b += right.inner <= left.inner ? 1 : 0;
    }
    return sum;
  }
};

}  // namespace

void multiply(const stream_ref& work, const product_view& what, const sparse_output<float>& into) {
  for_each_index(work, what.cells.size(), multiply_cell{what, into});
}

}  // namespace pinhole::scenarios::detail
