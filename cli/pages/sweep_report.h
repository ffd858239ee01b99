// The rows of a sweep: as a report, as lines that are printed one by one, and as a picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/render/json_lines.h"
#include "cli/render/rows.h"
#include "cli/report/report.h"
#include "cli/svg/front.h"
#include "planner/search/sweep.h"

namespace cli {

/// trainplan.sweep/1 without rows, and the cells of one: null where a candidate was not costed.
Report sweep_report();
std::vector<Data> sweep_cells(const std::vector<std::string>& names, const planner::Swept& swept);

/// Lines of its rows, as `--format ndjson` prints the report of each.
class SweepLines {
 public:
  /// `names` of the choices.
  explicit SweepLines(std::vector<std::string> names);
  void add(const planner::Swept& swept);
  /// What there is since `clear`.
  std::string_view text() const { return lines_.text(); }
  void clear() { lines_.clear(); }

 private:
  std::vector<std::string> names_;
  JsonLines lines_;
};

/// Its rows as CSV and TSV have them: lines below a header that the first row gives. All rows have the same columns,
/// whether they are costed or not.
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

/// Columns that may be an axis: those of numbers.
std::vector<std::string> sweep_axes();

/// Each row that works as a point over two of its columns. Points of the front carry the number of their row. `title`:
/// of the scenario. `axes`: two of `sweep_axes`; empty: the step and the memory of the fullest GPU.
svg::Front sweep_picture(const std::string& title, const Table& rows, const std::vector<std::string>& axes);

}  // namespace cli
