// Measures the columns, then pads the cells.
#include "tools/support/table.hpp"

#include <algorithm>
#include <utility>

namespace pinhole::tool {

namespace {

std::string padded(const std::string& cell, std::size_t width, align side) {
  const std::string blanks(width - std::min(width, columns_of(cell)), ' ');
  return side == align::left ? cell + blanks : blanks + cell;
}

}  // namespace

void table::add(std::vector<std::string> cells, accent how) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), how});
}

std::vector<std::size_t> table::widths() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    for (const auto& one : rows_) {
      widths[i] = std::max(widths[i], columns_of(one.cells[i]));
    }
    if (widths[i] > 0) {
      widths[i] = std::max(widths[i], columns_of(columns_[i].title));
    }
  }
  return widths;
}

std::string table::text(bool colours) const {
  const auto width = widths();
  const auto line = [&](auto&& cell_of, accent how) {
    std::string text;
    for (std::size_t i = 0; i < width.size(); ++i) {
      if (width[i] > 0) {
        text += "  " + padded(cell_of(i), width[i], columns_[i].side);
      }
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return styled(text, how, colours) + "\n";
  };
  std::string all = line([&](std::size_t i) { return columns_[i].title; }, accent::dim);
  for (const auto& one : rows_) {
    all += line([&](std::size_t i) { return one.cells[i]; }, one.how);
  }
  return all;
}

}  // namespace pinhole::tool
