// Draws factors, multiplies them the plain way, and gives the kernel its rows and columns.
#include "scenarios/sparse_product.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <unordered_map>

#include "scenarios/drawing.hpp"

namespace pinhole::scenarios {

namespace {

using detail::cell;
using detail::partial;

constexpr staged_options pageable = {.host = host_memory::pageable};

/// Small whole numbers, none of them 0.
float drawn_value(std::uint64_t key) {
  return static_cast<float>(1 + scramble(key) % 8);
}

/// The product by its definition: every entry of the first factor meets its partners in the second.
std::map<std::size_t, float> plain_product(const factors& from) {
  std::unordered_multimap<std::uint32_t, entry> by_row;
  for (const entry& one : from.second) {
    by_row.emplace(one.row, one);
  }
  std::map<std::size_t, float> result;
  for (const entry& left : from.first) {
    const auto [first, last] = by_row.equal_range(left.column);
    for (auto at = first; at != last; ++at) {
      const entry& right = at->second;
      result[std::size_t{left.row} * from.edge + right.column] += left.value * right.value;
    }
  }
  return result;
}

/// Entries as lines (rows or columns), one behind the other.
struct line_list {
  std::vector<partial> parts;
  std::vector<std::uint32_t> starts;
};

template <class Line, class Inner>
line_list lines_of(std::vector<entry> entries, std::uint32_t lines, Line line, Inner inner) {
  std::ranges::sort(entries, {},
                    [&](const entry& one) { return std::pair(line(one), inner(one)); });
  line_list result;
  result.starts.assign(std::size_t{lines} + 1, 0);
  for (const entry& one : entries) {
    result.parts.push_back({.inner = inner(one), .value = one.value});
    result.starts[std::size_t{line(one)} + 1] = static_cast<std::uint32_t>(result.parts.size());
  }
  // Empty lines end where the one before them does.
  std::uint32_t end = 0;
  for (auto& start : result.starts) {
    end = std::max(end, start);
    start = end;
  }
  return result;
}

template <class T>
staged_buffer<T> uploaded(const device& where, const stream_ref& work,
                          const std::vector<T>& values) {
  staged_buffer<T> result(where, values.size(), pageable);
  std::ranges::copy(values, result.host().begin());
  result.to_device(work);
  work.wait(patience);
  return result;
}

class product final : public sparse_job<float> {
 public:
  product(const device& where, const factors& from)
      : product(where, from.edge,
                lines_of(
                    from.first, from.edge, [](const entry& one) { return one.row; },
                    [](const entry& one) { return one.column; }),
                lines_of(
                    from.second, from.edge, [](const entry& one) { return one.column; },
                    [](const entry& one) { return one.row; }),
                plain_product(from)) {}

  [[nodiscard]] std::size_t size() const override { return std::size_t{edge_} * edge_; }
  [[nodiscard]] float before(std::size_t /*position*/) const override { return 0; }

  void launch(const stream_ref& work, const sparse_output<float>& into) const override {
    detail::multiply(work,
                     {.rows = rows_.device(),
                      .row_starts = row_starts_.device(),
                      .columns = columns_.device(),
                      .column_starts = column_starts_.device(),
                      .cells = cells_.device(),
                      .edge = edge_},
                     into);
  }

  [[nodiscard]] std::string difference(std::size_t position, float expected,
                                       float got) const override {
    return "element (" + std::to_string(position / edge_) + ", " +
           std::to_string(position % edge_) + "): expected " + std::to_string(expected) + ", got " +
           std::to_string(got);
  }

 private:
  product(const device& where, std::uint32_t edge, const line_list& rows, const line_list& columns,
          const std::map<std::size_t, float>& result)
      : edge_(edge),
        work_(where),
        rows_(uploaded(where, work_, rows.parts)),
        row_starts_(uploaded(where, work_, rows.starts)),
        columns_(uploaded(where, work_, columns.parts)),
        column_starts_(uploaded(where, work_, columns.starts)),
        cells_(uploaded(where, work_, cells_of(result, edge))) {
    for (const auto& [position, value] : result) {
      written_.push_back(position);
      expected_.push_back(value);
    }
  }

  static std::vector<cell> cells_of(const std::map<std::size_t, float>& result,
                                    std::uint32_t edge) {
    std::vector<cell> cells;
    for (const auto& [position, value] : result) {
      cells.push_back({.row = static_cast<std::uint32_t>(position / edge),
                       .column = static_cast<std::uint32_t>(position % edge)});
    }
    return cells;
  }

  std::uint32_t edge_;
  stream work_;  // outlives the buffers that are handed over on it
  staged_buffer<partial> rows_;
  staged_buffer<std::uint32_t> row_starts_;
  staged_buffer<partial> columns_;
  staged_buffer<std::uint32_t> column_starts_;
  staged_buffer<cell> cells_;
};

}  // namespace

factors draw_factors(std::uint32_t edge, std::size_t nonzeros, std::uint64_t seed) {
  factors drawn{.edge = edge, .inner = std::bit_ceil(4 * edge), .first = {}, .second = {}};
  const std::uint64_t key = scramble(seed);
  // Numbers of inner lines, spread over all of them without meeting twice.
  const auto spread = [&](std::uint32_t line) { return line * 0x9E3779B1U & (drawn.inner - 1); };
  const auto value = [&] { return drawn_value(key + drawn.first.size() + drawn.second.size()); };

  // Each row of the result with something in it has two inner lines of its own, the second of which
  // adds to about half of its cells.
  const drawing cells(key, std::uint64_t{edge} * edge, nonzeros);
  std::uint32_t last_row = edge;
  for (std::size_t i = 0; i < nonzeros; ++i) {
    const auto row = static_cast<std::uint32_t>(cells[i] / edge);
    const auto column = static_cast<std::uint32_t>(cells[i] % edge);
    if (row != last_row) {
      drawn.first.push_back({.row = row, .column = spread(2 * row), .value = value()});
      drawn.first.push_back({.row = row, .column = spread(2 * row + 1), .value = value()});
      last_row = row;
    }
    drawn.second.push_back({.row = spread(2 * row), .column = column, .value = value()});
    if (scramble(key ^ i) % 2 == 0) {
      drawn.second.push_back({.row = spread(2 * row + 1), .column = column, .value = value()});
    }
  }
  // What meets no partner.
  for (std::uint32_t i = 0; i < edge; ++i) {
    const auto line = static_cast<std::uint32_t>(scramble(key + i) % edge);
    drawn.first.push_back({.row = line, .column = spread(2 * edge + i), .value = value()});
    drawn.second.push_back({.row = spread(3 * edge + i), .column = line, .value = value()});
  }
  return drawn;
}

std::shared_ptr<const sparse_job<float>> product_job(const device& where, const factors& from) {
  return std::make_shared<product>(where, from);
}

}  // namespace pinhole::scenarios
