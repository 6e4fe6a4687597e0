// Fills a table, and changes a row the plain way.
#include "scenarios/table_update.hpp"

namespace pinhole::scenarios {

table_row first_row(std::size_t position) noexcept {
  table_row row;
  auto word = static_cast<std::uint32_t>(position * words_per_row);
  for (auto& one : row.words) {
    one = word++ * 0x9E3779B1U;
  }
  return row;
}

table_row changed(table_row row) noexcept {
  for (auto& word : row.words) {
    word = word * 1664525U + 1013904223U;
  }
  return row;
}

}  // namespace pinhole::scenarios
