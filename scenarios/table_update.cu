// The update as a functor over words: neighbours in a row are neighbours on the link.
#include "pinhole/kernel/for_each_index.cuh"
#include "scenarios/table_update.hpp"

namespace pinhole::scenarios {

namespace {

struct change_word {
  view<table_row> table;
  drawing position_of;
  update_report report;

  PINHOLE_HD void operator()(std::size_t i) const {
    const std::size_t row = i / words_per_row;
    const std::size_t column = i % words_per_row;
    std::uint32_t& word = table[position_of[row]].words[column];
    const std::uint32_t after = word * 1664525U + 1013904223U;
    word = after;
    if (!report.rows.empty()) {
      report.rows[row].words[column] = after;
    }
    if (i < rows_per_call) {
      report.positions->words[i] = static_cast<std::uint32_t>(position_of[i]);
    }
  }
};

}  // namespace

void update_rows(const stream_ref& work, view<table_row> table, std::uint64_t key,
                 const update_report& report) {
  for_each_index(work, rows_per_call * words_per_row,
                 change_word{table, rows_of_call(key, table.size()), report});
}

}  // namespace pinhole::scenarios
