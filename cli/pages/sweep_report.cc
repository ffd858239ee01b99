#include "cli/pages/sweep_report.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/pages/candidate_rows.h"

namespace cli {
namespace {

constexpr const char* kFormat = "trainplan.sweep/1";

/// Makes a line of the columns.
struct Line {
  JsonLines& lines;
  void cell(const char* name, Unit, const Cell& value) { lines.member(name, value); }
  template <class Each> void object(const char* name, bool is_there, const Each& each) {
    if (!is_there) return lines.member(name, Cell());
    lines.open(name);
    each([this](const char* member, const Cell& value) { lines.member(member, value); });
    lines.close();
  }
  void list(const char* name, const std::vector<std::string>& texts) { lines.member(name, texts); }
};

constexpr std::string_view kChoices = "choices";

/// The names of all cells of a row. Some rows have no choices, and as many cells.
struct Leaves {
  const std::vector<std::string>& choices;
  std::vector<std::string> names = {};
  void cell(const char* name, Unit, const Cell&) { names.emplace_back(name); }
  template <class Each> void object(const char* name, bool, const Each& each) {
    const auto add = [&](const std::string& member) { names.push_back(std::string(name) + "." + member); };
    if (name == kChoices) std::ranges::for_each(choices, add);
    else each([&](const char* member, const Cell&) { add(member); });
  }
  void list(const char* name, const std::vector<std::string>&) { names.emplace_back(name); }
};

void write_plain(const Cell& cell, std::string& out) {
  out.clear();
  if (const auto* text = std::get_if<std::string_view>(&cell)) out = *text;
  else if (const auto* flag = std::get_if<bool>(&cell)) out = *flag ? "true" : "false";
  char digits[32];
  char* end = digits;
  if (const auto* count = std::get_if<int64_t>(&cell)) end = std::to_chars(digits, digits + sizeof digits, *count).ptr;
  const auto* x = std::get_if<double>(&cell);
  if (x && std::isfinite(*x)) end = std::to_chars(digits, digits + sizeof digits, *x).ptr;
  out.append(digits, end);
}

/// Their texts, in the same order.
struct Texts {
  std::vector<std::string>& cells;
  size_t choices, next = 0;
  void cell(const char*, Unit, const Cell& value) { write_plain(value, cells[next++]); }
  template <class Each> void object(const char* name, bool is_there, const Each& each) {
    const size_t end = name == kChoices ? next + choices : next;
    each([&](const char*, const Cell& value) {
      if (is_there) write_plain(value, cells[next++]);
      else cells[next++].clear();
    });
    while (next < end) cells[next++].clear();
  }
  void list(const char*, const std::vector<std::string>& texts) {
    std::string& joined = cells[next++];
    joined.clear();
    for (const std::string& text : texts) (joined += joined.empty() ? "" : " ") += text;
  }
};

}  // namespace

Report sweep_report() {
  Headings headings;
  use_swept({}, {}, headings);
  return rows_report(kFormat, "rows", {.columns = std::move(headings.columns)});
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

SweepTable::SweepTable(std::vector<std::string> names, std::vector<std::string> columns, const RowStyle& style)
    : names_(std::move(names)), columns_(std::move(columns)), style_(style) {}

template <class CellOf> void SweepTable::line(const CellOf& cell_of) {
  for (size_t i = 0; i < shown_.size(); ++i) {
    if (i > 0) text_ += style_.separator;
    style_.add(text_, cell_of(i));
  }
  text_ += style_.end;
}

void SweepTable::begin(const planner::Swept& first) {
  Leaves leaves{names_};
  use_swept(names_, first, leaves);
  const std::vector<std::string>& names = leaves.names;
  cells_.resize(names.size() + 1);
  const auto show = [&](size_t cell, const std::string& heading) {  // once, as in a table of all rows
    if (std::ranges::find(headings_, heading) != headings_.end()) return;
    shown_.push_back(cell);
    headings_.push_back(heading);
  };
  for (size_t i = 0; columns_.empty() && i < names.size(); ++i) show(i, names[i]);
  for (const std::string& column : columns_) {
    bool any = false;
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] != column && !names[i].starts_with(column + ".")) continue;
      show(i, names[i]);
      any = true;
    }
    if (!any) show(names.size(), column);
  }
  line([&](size_t i) -> const std::string& { return headings_[i]; });
}

void SweepTable::add(const planner::Swept& swept) {
  if (cells_.empty()) begin(swept);
  Texts texts{cells_, names_.size()};
  use_swept(names_, swept, texts);
  line([&](size_t i) -> const std::string& { return cells_[shown_[i]]; });
}

void SweepTable::close(const std::string& mark) {
  line([&](size_t i) { return i == 0 ? mark : std::string(); });
}

}  // namespace cli
