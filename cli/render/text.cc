// Text for people: aligned columns that fit the page.
//
//     name     kind        count     seconds   share
//     qkv      gemm        12288    123.4 us   8.1 %
//
// Too wide for the page: columns of the highest rank are left out (and named below the table), then
// the widest text columns are wrapped, between words as long as that is enough.
#include <algorithm>
#include <numeric>
#include <utility>

#include "cli/args/wrapped.h"
#include "cli/render/render.h"
#include "dsl/quoting.h"

namespace cli {
namespace {

constexpr size_t kGap = 2;            // blanks between columns
constexpr size_t kLeastWrapped = 16;  // a wrapped column is not made narrower

void add_padded(std::string_view text, size_t width, bool right, std::string& line) {
  const size_t taken = glyphs(text), blanks = width > taken ? width - taken : 0;
  if (right) line.append(blanks, ' ');
  line += text;
  if (!right) line.append(blanks, ' ');
}

bool is_right(Unit unit) { return unit != Unit::text; }

/// The cells as text, the heading line first.
struct TextGrid {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> lines;  // per row; [0] the headings
  std::vector<size_t> widths;
  std::vector<std::string> left_out;

  size_t width() const {
    size_t gaps = widths.empty() ? 0 : kGap * (widths.size() - 1);
    return std::accumulate(widths.begin(), widths.end(), gaps);
  }
};

TextGrid make_grid(const Table& table) {
  TextGrid grid{.columns = table.columns, .lines = {{}}, .widths = {}, .left_out = {}};
  for (const Column& c : table.columns)
    grid.lines[0].push_back(!table.header ? "" : dsl::printable(c.heading.empty() ? c.name : c.heading));
  for (const auto& row : table.rows) {
    auto& cells = grid.lines.emplace_back();
    cells.reserve(row.size());
    for (size_t c = 0; c < row.size(); ++c) cells.push_back(dsl::printable(cell_text(row[c], table.columns[c])));
  }
  grid.widths.assign(table.columns.size(), 0);
  for (const auto& line : grid.lines)
    for (size_t c = 0; c < line.size(); ++c) grid.widths[c] = std::max(grid.widths[c], glyphs(line[c]));
  return grid;
}

void leave_out(TextGrid& grid, size_t column) {
  auto at = static_cast<std::ptrdiff_t>(column);
  grid.left_out.insert(grid.left_out.begin(), grid.columns[column].name);
  grid.columns.erase(grid.columns.begin() + at);
  grid.widths.erase(grid.widths.begin() + at);
  for (auto& line : grid.lines) line.erase(line.begin() + at);
}

/// Glyphs of the longest word: a column as wide as that breaks no word.
size_t longest_word(const TextGrid& grid, size_t column) {
  size_t longest = 0;
  for (const auto& line : grid.lines) {
    const std::string_view cell = line[column];
    for (size_t at = 0; at < cell.size();) {
      const size_t end = std::min(cell.find(' ', at), cell.size());
      longest = std::max(longest, glyphs(cell.substr(at, end - at)));
      at = end + 1;
    }
  }
  return longest;
}

/// Makes the widest text column that may shrink one glyph narrower; false if there is none.
bool narrow(TextGrid& grid, const std::vector<size_t>& least) {
  size_t widest = grid.widths.size();
  for (size_t c = 0; c < grid.widths.size(); ++c)
    if (!is_right(grid.columns[c].unit) && grid.widths[c] > least[c] &&
        (widest == grid.widths.size() || grid.widths[c] > grid.widths[widest]))
      widest = c;
  if (widest == grid.widths.size()) return false;
  --grid.widths[widest];
  return true;
}

void fit(TextGrid& grid, size_t width) {
  while (grid.width() > width) {
    auto last =
        std::max_element(grid.columns.rbegin(), grid.columns.rend(), [](auto& a, auto& b) { return a.rank < b.rank; });
    if (last == grid.columns.rend() || last->rank == 0) break;
    leave_out(grid, static_cast<size_t>(grid.columns.rend() - last) - 1);
  }
  if (grid.width() <= width) return;
  std::vector<size_t> words;
  for (size_t c = 0; c < grid.widths.size(); ++c) words.push_back(std::max(kLeastWrapped, longest_word(grid, c)));
  while (grid.width() > width && narrow(grid, words)) {
  }
  std::vector<size_t> least(grid.widths.size(), kLeastWrapped);  // words break too
  while (grid.width() > width && narrow(grid, least)) {
  }
}

/// The cell broken at blanks, and inside a word that is wider than its column: behind a '.', '_', '/' or '-', if it has
/// one.
std::vector<std::string> cell_lines(const std::string& cell, size_t width) {
  if (glyphs(cell) <= width) return {cell};
  std::vector<std::string> lines;
  for (std::string line : wrapped(cell, width)) {
    for (; glyphs(line) > width; line.erase(0, lines.back().size())) {
      const size_t most = bytes_of(line, width), mark = line.find_last_of("._/-", most - 1);
      lines.push_back(line.substr(0, mark == std::string::npos || mark == 0 ? most : mark + 1));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void trim(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

/// ECMA-48 SGR: how a row begins and ends on a terminal.
struct RowColour {
  std::string_view begin, end;
};
RowColour colour_of(RowTone tone) {
  constexpr std::string_view kEnd = "\x1b[0m";
  if (tone == RowTone::best) return {"\x1b[1;32m", kEnd};
  return tone == RowTone::bad ? RowColour{"\x1b[31m", kEnd} : RowColour{};
}

/// `cell` returns the content of each of the first `count` columns.
template <class Cell>
void print_cells(const TextGrid& grid, size_t count, Cell cell, const RowColour& colour, std::ostream& out) {
  std::string line;
  for (size_t c = 0; c < count; ++c) {
    if (c > 0) line.append(kGap, ' ');
    add_padded(cell(c), grid.widths[c], is_right(grid.columns[c].unit), line);
  }
  trim(line);
  out << colour.begin << line << colour.end << '\n';
}

bool fit_in(const TextGrid& grid, const std::vector<std::string>& cells) {
  for (size_t c = 0; c < cells.size(); ++c)
    if (cells[c].size() > grid.widths[c] && glyphs(cells[c]) > grid.widths[c]) return false;
  return true;
}

void print_line(const TextGrid& grid, const std::vector<std::string>& cells, const RowColour& colour,
                std::ostream& out) {
  const size_t count = cells.size();
  if (fit_in(grid, cells))
    return print_cells(
        grid, count, [&](size_t c) { return std::string_view(cells[c]); }, colour, out);
  std::vector<std::vector<std::string>> parts(count);
  size_t height = 1;
  for (size_t c = 0; c < count; ++c) {
    parts[c] = cell_lines(cells[c], grid.widths[c]);
    height = std::max(height, parts[c].size());
  }
  for (size_t h = 0; h < height; ++h)
    print_cells(
        grid, count, [&](size_t c) { return h < parts[c].size() ? std::string_view(parts[c][h]) : ""; }, colour, out);
}

/// Names the formats that show columns for which the page has no room. Row formats have the rows of the report (or,
/// without rows, its document); other tables are only in the document.
const char* others_of(const Table& table, const Report& report) {
  const auto is_in_rows = [&](const Column& column) {
    const std::string& its = column.of.empty() ? column.name : column.of;
    const std::string front = its.substr(0, its.find('.'));
    return std::ranges::any_of(report.table.columns, [&](const Column& c) { return c.name == its || c.name == front; });
  };
  const bool has_rows = !report.key.empty() && !report.table.columns.empty();
  return has_rows && !std::ranges::all_of(table.columns, is_in_rows) ? "; --format json has all)"
                                                                     : "; --columns picks, --format csv prints all)";
}

void print_table(const Table& table, const char* others, const Page& page, std::ostream& out) {
  const auto width = static_cast<size_t>(page.width);
  TextGrid grid = make_grid(table);
  fit(grid, width);
  if (!table.title.empty()) out << dsl::printable(table.title) << '\n';
  for (size_t i = table.header ? 0 : 1; i < grid.lines.size(); ++i)
    print_line(grid, grid.lines[i], colour_of(page.color && i > 0 ? tone_of(table, i - 1) : RowTone::plain), out);
  if (grid.left_out.empty() || !table.note) return;
  std::string names = "(not shown:";
  for (const std::string& n : grid.left_out) names += " " + dsl::printable(n);
  for (const std::string& line : wrapped(names + others, width, 1)) out << line << '\n';
}

/// One row (a plan with --columns) reads better as name and value lines.
Table upright(const Table& table) {
  Table out{.title = table.title, .columns = {{.name = "name"}, {.name = "value"}}, .header = false};
  for (size_t c = 0; c < table.columns.size(); ++c)
    out.rows.push_back({table.columns[c].name, figure(table.rows[0][c], table.columns[c].unit)});
  return out;
}

}  // namespace

void render_text(const Report& report, const Page& page, std::ostream& out) {
  const auto width = static_cast<size_t>(page.width);
  if (report.text.empty())
    return report.key.empty() ? print_table(upright(flat_table(report)), "", page, out)
                              : print_table(report.table, others_of(report.table, report), page, out);
  bool first = true;
  for (const Block* block : blocks_of(report)) {
    if (!std::exchange(first, false)) out << '\n';
    if (const Table* table = std::get_if<Table>(block)) print_table(*table, others_of(*table, report), page, out);
    else
      for (const std::string& line : wrapped(dsl::printable(std::get<std::string>(*block), "\n"), width, 2))
        out << line << '\n';
  }
}

}  // namespace cli
