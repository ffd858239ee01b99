// Rows with plain SI figures, or the text blocks as Markdown.
#include "cli/render/rows.h"

#include <algorithm>
#include <charconv>

#include "cli/render/render.h"
#include "cli/report/flat.h"
#include "dsl/quoting.h"
#include "dsl/raw_text.h"

namespace cli {
namespace {

/// Whether a spreadsheet would compute the text: it begins as a formula does, and is neither a number nor a word or
/// flag of letters, digits, '-', '_' and '.', which computes nothing.
bool is_formula(std::string_view text) {
  if (text.empty() || std::string_view("=@+-\t\r").find(text[0]) == std::string_view::npos) return false;
  if (text[0] != '+' && text[0] != '-') return true;
  double number = 0;
  const std::string_view unsigned_text = text.substr(1);
  const char* const end = text.data() + text.size();
  if (std::from_chars(unsigned_text.data(), end, number).ptr == end) return false;
  const auto is_harmless = [](char c) { return dsl::is_name_char(c) || c == '-' || c == '_' || c == '.'; };
  return !std::ranges::all_of(unsigned_text, is_harmless);
}

/// Spreadsheets read a cell with a leading apostrophe as text.
void add_mark(std::string& line, std::string_view text) {
  if (is_formula(text)) line += '\'';
}

void add_csv(std::string& line, std::string_view text) {
  const bool is_plain =
      std::ranges::none_of(text, [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; });
  if (!is_plain) line += '"';
  add_mark(line, text);
  if (is_plain) return void(line += text);
  for (const char c : text) line.append(c == '"' ? 2 : 1, c);
  line += '"';
}

/// Tabs and line ends have no place in a cell of TSV: they become blanks.
void add_tsv(std::string& line, std::string_view text) {
  add_mark(line, text);
  for (const char c : text) line += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
}

/// A text as Markdown shows it: no HTML, no link, no escape, nothing hidden.
std::string markdown_text(const std::string& text, std::string_view keep = "") {
  std::string out;
  for (const char c : dsl::printable(text, keep)) {
    if (c == '<') out += "&lt;";
    else if (c == '&') out += "&amp;";
    else if (c == '\\' || (c == '(' && out.ends_with(']'))) out += std::string{'\\', c};
    else out += c;
  }
  return out;
}

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : markdown_text(text)) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

void print_rows(const Report& report, const RowStyle& style, std::ostream& out) {
  const Table table = flat_table(report);
  std::string line;
  const auto add = [&](size_t c, const std::string& text) { style.add(line.append(c ? 1 : 0, style.separator), text); };
  const auto print = [&] {
    out << (line += style.end);
    line.clear();
  };
  for (size_t c = 0; c < table.columns.size(); ++c) add(c, table.columns[c].name);
  print();
  for (const auto& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) add(c, plain_text(row[c]));
    print();
  }
}

void markdown_table(const Table& table, std::ostream& out) {
  if (!table.title.empty()) out << "### " << markdown_text(table.title) << "\n\n";
  out << '|';
  for (const Column& c : table.columns)
    out << ' ' << (table.header ? markdown_cell(c.heading.empty() ? c.name : c.heading) : "") << " |";
  out << "\n|";
  for (const Column& c : table.columns) out << (c.unit == Unit::text ? " --- |" : " ---: |");
  out << '\n';
  for (const auto& row : table.rows) {
    out << '|';
    for (size_t c = 0; c < row.size(); ++c) out << ' ' << markdown_cell(cell_text(row[c], table.columns[c])) << " |";
    out << '\n';
  }
}

}  // namespace

std::optional<RowStyle> row_style(std::string_view format, bool crlf) {
  if (format == "csv") return RowStyle{',', crlf ? "\r\n" : "\n", add_csv};
  if (format == "tsv") return RowStyle{'\t', "\n", add_tsv};
  return std::nullopt;
}

void render_csv(const Report& report, const Page& page, std::ostream& out) {
  print_rows(report, *row_style("csv", page.crlf), out);
}
void render_tsv(const Report& report, const Page&, std::ostream& out) {
  print_rows(report, *row_style("tsv", false), out);
}

void render_markdown(const Report& report, const Page&, std::ostream& out) {
  if (report.text.empty()) return markdown_table(report.key.empty() ? flat_table(report) : report.table, out);
  bool first = true;
  for (const Block* block : blocks_of(report)) {
    if (!first) out << '\n';
    first = false;
    if (const Table* table = std::get_if<Table>(block)) markdown_table(*table, out);
    else out << markdown_text(std::get<std::string>(*block), "\n") << '\n';
  }
}

}  // namespace cli
