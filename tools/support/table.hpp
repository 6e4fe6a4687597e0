// Aligned columns of text.
#pragma once

#include <string>
#include <vector>

#include "tools/support/style.hpp"

namespace pinhole::tool {

enum class align { left, right };

/// Collects rows, then prints them under their titles, two blanks apart and indented by two.
/// Columns whose cells are all empty are left out.
class table {
 public:
  struct column {
    std::string title;
    align side = align::right;
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

  /// Missing cells at the end are empty.
  void add(std::vector<std::string> cells, accent how = accent::plain);
  [[nodiscard]] std::string text(bool colours) const;

 private:
  struct row {
    std::vector<std::string> cells;
    accent how = accent::plain;
  };
  [[nodiscard]] std::vector<std::size_t> widths() const;

  std::vector<column> columns_;
  std::vector<row> rows_;
};

}  // namespace pinhole::tool
