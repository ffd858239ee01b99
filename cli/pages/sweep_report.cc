#include "cli/pages/sweep_report.h"

#include "cli/pages/candidate_rows.h"

namespace cli {
namespace {

constexpr const char* kFormat = "trainplan.sweep/1";

/// Makes a line of the columns.
struct Line {
  JsonLines& lines;
  void cell(const char* name, Unit, const Cell& value) { lines.member(name, value); }
  template <class Each> void object(const char* name, const Each& each) {
    lines.open(name);
    each([this](const char* member, const Cell& value) { lines.member(member, value); });
    lines.close();
  }
  template <class Each> void absent(const char* name, const Each&) { lines.member(name, Cell()); }
  void list(const char* name, const std::vector<std::string>& texts) { lines.member(name, texts); }
};

}  // namespace

Report sweep_report() {
  Headings headings;
  use_swept({}, {}, headings);
  return {.format = kFormat,
          .document = {{"rows", Data::List{}}},
          .key = "rows",
          .table = {.columns = std::move(headings.columns)},
          .text = {}};
}

std::vector<Data> sweep_cells(const std::vector<std::string>& names, const planner::Swept& swept) {
  Cells cells;
  cells.cells.reserve(32);
  use_swept(names, swept, cells);
  return std::move(cells.cells);
}

SweepLines::SweepLines(std::vector<std::string> names) : names_(std::move(names)), lines_(kFormat) {}

void SweepLines::add(const planner::Swept& swept) {
  Line line{lines_};
  lines_.begin();
  use_swept(names_, swept, line);
  lines_.end();
}

}  // namespace cli
