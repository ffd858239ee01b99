// The rows of a sweep as CSV and TSV have them, made one by one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/render/rows.h"
#include "planner/search/sweep.h"

namespace cli {

/// Lines below a header that the first row gives. All rows have the same columns, whether they are costed or not.
class SweepTable {
 public:
  /// `names` of the choices; `columns` as --columns has them, empty: all.
  SweepTable(std::vector<std::string> names, std::vector<std::string> columns, const RowStyle& style);
  void add(const planner::Swept& swept);
  /// A last line, whose first cell is `mark`, behind rows that have left.
  void close(const std::string& mark);
  /// What there is since `clear`.
  std::string_view text() const { return text_; }
  void clear() { text_.clear(); }

 private:
  void begin(const planner::Swept& first);
  template <class CellOf> void line(const CellOf& cell_of);

  std::vector<std::string> names_, columns_;
  RowStyle style_;
  std::vector<size_t> shown_;  // cells of a row, in the order of the columns
  std::vector<std::string> headings_;
  std::vector<std::string> cells_;  // of the row; one more, empty, for a column that no row has
  std::string text_;
};

}  // namespace cli
