// The rows of a sweep.
#pragma once

#include "cli/render/json_lines.h"
#include "cli/report/report.h"
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

}  // namespace cli
