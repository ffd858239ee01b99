// The page:
//
//     title, key figures, command
//     picture
//     the text of the report: paragraphs, and tables that sort
//     folded away: what the figures rest on; every row and column; the inputs; the document as JSON
#include "cli/render/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <ostream>
#include <sstream>
#include <unordered_map>

#include "cli/render/json_text.h"
#include "cli/render/render.h"
#include "cli/svg/text.h"

namespace cli {
namespace {

using svg::escaped;

constexpr size_t kShortText = 24;  // bytes of a cell that stays on one line
constexpr size_t kWideTable = 10;  // columns above which print is small
constexpr size_t kLongTable = 12;  // rows of a written table from which a box to filter helps

std::string_view file(std::string_view name) {
  const auto files = page_files();
  return std::ranges::find(files, name, &PageFile::name)->text;
}

/// Lines and tabs kept, as `escaped` makes blanks of them.
std::string escaped_lines(const std::string& text) {
  std::string out, line;
  std::istringstream lines(text);
  while (std::getline(lines, line)) out += (out.empty() ? "" : "\n") + escaped(line);
  return out;
}

const char* class_of(const Column& column) { return column.unit == Unit::text ? "" : " class=\"figure\""; }

const char* class_of(RowTone tone) {
  constexpr std::array kClasses{"", " class=\"best\"", " class=\"bad\""};
  return kClasses[static_cast<size_t>(tone)];
}

void heading(const Column& column, std::ostream& out) {
  const std::string& name = column.heading.empty() ? column.name : column.heading;
  out << fmt::format("<th{} data-name=\"{}\">{}</th>", class_of(column), escaped(column.name), escaped(name));
}

void head(const Table& table, std::ostream& out) {
  out << "<thead><tr>";
  for (const Column& column : table.columns) heading(column, out);
  out << "</tr></thead>\n";
}

void tools(std::ostream& out) {
  out << "<div class=\"tools\"><input type=\"search\" aria-label=\"filter\" placeholder=\"filter: a text, or "
         "column>=number\">"
         "<span class=\"count\"></span></div>\n";
}

/// A cell as text formats print it; a figure carries its value in SI units for the order.
void cell(const Data& data, const Column& column, std::ostream& out) {
  const std::string text = cell_text(data, column);
  if (column.bar) {
    out << fmt::format("<td data-value=\"{0}\"><i class=\"bar\" style=\"width:{0}ch\"></i></td>", text.size());
    return;
  }
  out << "<td" << (column.unit == Unit::text && text.size() <= kShortText ? " class=\"short\"" : class_of(column));
  if (column.unit != Unit::text && !data.text()) {
    const std::optional<double> value = data.number();
    out << fmt::format(" data-value=\"{}\"", value ? fmt::format("{}", *value) : "");
  }
  out << '>' << escaped(text) << "</td>";
}

void written_table(const Table& table, std::ostream& out) {
  out << "<section>\n";
  if (!table.title.empty()) out << "<h2>" << escaped(table.title) << "</h2>\n";
  if (table.rows.size() >= kLongTable && table.header) tools(out);
  out << "<div class=\"rows\"><table" << (table.columns.size() > kWideTable ? " class=\"wide\"" : "") << ">\n";
  if (table.header) head(table, out);
  out << "<tbody>\n";
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const std::vector<Data>& row = table.rows[i];
    out << "<tr" << class_of(tone_of(table, i)) << ">";
    for (size_t c = 0; c < row.size(); ++c) cell(row[c], table.columns[c], out);
    out << "</tr>\n";
  }
  out << "</tbody></table></div>\n</section>\n";
}

/// Whether every value of a column is a number or absent.
bool is_figure(const Table& table, size_t column) {
  return std::ranges::all_of(table.rows, [&](const std::vector<Data>& row) {
    return row[column].is_null() || row[column].number().has_value();
  });
}

std::string packed_cell(const Data& cell) {
  if (const std::string* text = cell.text()) {
    std::string quoted;
    write_text(*text, quoted);
    for (size_t at = 0; (at = quoted.find('<', at)) != std::string::npos;) quoted.replace(at, 1, "\\u003c");
    return quoted;
  }
  if (const bool* flag = std::get_if<bool>(&cell.v)) return *flag ? "true" : "false";
  if (const int64_t* count = std::get_if<int64_t>(&cell.v)) return std::to_string(*count);
  const std::optional<double> figure = cell.number();
  return figure ? fmt::format("{:.5g}", *figure) : "null";
}

/// Which of its distinct values a column has in each row.
struct Distinct {
  std::vector<const Data*> values;
  std::vector<size_t> at;  // by row
};

/// Values that differ only behind the fifth digit are distinct: columns computed from one figure then have the same
/// rows.
Distinct distinct_of(const Table& table, size_t column) {
  Distinct distinct;
  std::unordered_map<std::string, size_t> numbers;
  for (const std::vector<Data>& row : table.rows) {
    const double* figure = std::get_if<double>(&row[column].v);
    const std::string key = figure ? fmt::format("{}", *figure) : packed_cell(row[column]);
    const auto [known, added] = numbers.try_emplace(key, distinct.values.size());
    if (added) distinct.values.push_back(&row[column]);
    distinct.at.push_back(known->second);
  }
  return distinct;
}

std::string packed_cells(const std::vector<const Data*>& cells) {
  std::string text;
  for (const Data* cell : cells) text += (text.empty() ? "" : ",") + packed_cell(*cell);
  return text;
}

/// Columns that are already written, by which value their rows have.
using Written = std::map<std::vector<size_t>, size_t>;

std::string packed_column(const Table& table, size_t column, Written& written) {
  const Distinct distinct = distinct_of(table, column);
  const std::string values = packed_cells(distinct.values);
  if (distinct.values.size() == 1) return fmt::format("{{\"all\":{}}}", values);
  const auto [first, added] = written.try_emplace(distinct.at, column);
  if (!added) return fmt::format("{{\"of\":[{}],\"as\":{}}}", values, first->second);
  if (distinct.values.size() == distinct.at.size()) return fmt::format("{{\"of\":[{}]}}", values);
  return fmt::format("{{\"of\":[{}],\"at\":[{}]}}", values, fmt::join(distinct.at, ","));
}

/// All rows, with all their columns in SI units.
void all_rows(const Report& report, std::ostream& out) {
  Table table = flat_table(report);
  if (table.rows.empty()) return;
  for (size_t c = 0; c < table.columns.size(); ++c)
    table.columns[c].unit = is_figure(table, c) ? Unit::number : Unit::text;
  const bool is_all = report.text.empty();  // nothing else shows them
  out << "<section class=\"every-row\">\n<details" << (is_all ? " open" : "")
      << "><summary>every row and column</summary>\n"
         "<p class=\"soft\">Figures are in SI units, as --format csv prints them.</p>\n";
  tools(out);
  out << "<div class=\"rows\"><table data-rows=\"rows\">\n";
  head(table, out);
  out << "<tbody></tbody></table></div>\n<p><button class=\"more\" hidden>more rows</button></p>\n"
      << "<script type=\"application/json\" id=\"rows\">" << packed_rows(table)
      << "</script>\n</details>\n</section>\n";
}

void folded(const std::string& title, const std::string& text, std::ostream& out) {
  out << "<details><summary>" << escaped(title) << "</summary>\n<pre>" << escaped_lines(text) << "</pre></details>\n";
}

/// The document but for its rows, which stand above.
std::string document_text(const Report& report) {
  Report rest = report;
  if (!rest.key.empty()) rest.table.rows.clear();
  std::ostringstream text;
  render_json(rest, {}, text);
  return text.str();
}

std::string title_of(const Report& report) {
  if (!report.title.empty()) return report.title;
  for (const Block& block : report.text)
    if (const std::string* text = std::get_if<std::string>(&block)) return text->substr(0, text->find('\n'));
  return report.key.empty() ? report.format : fmt::format("{} {}", report.table.rows.size(), report.key);
}

void picture(const Report& report, std::ostream& out) {
  if (!report.picture) return;
  out << "<figure>\n";
  render_svg(report, {}, out);
  out << "</figure>\n";
}

void key_figures(const std::vector<KeyFigure>& figures, std::ostream& out) {
  if (figures.empty()) return;
  out << "<dl class=\"key\">\n";
  for (const KeyFigure& f : figures)
    out << "<div><dt>" << escaped(f.name) << "</dt><dd>" << escaped(f.value) << "</dd><dd class=\"soft\">"
        << escaped(f.range) << "</dd></div>\n";
  out << "</dl>\n";
}

void written(const std::vector<Block>& blocks, const std::string& title, std::ostream& out) {
  for (const Block& block : blocks) {
    const std::string* text = std::get_if<std::string>(&block);
    if (!text) written_table(std::get<Table>(block), out);
    else if (*text != title) out << "<p>" << escaped_lines(*text) << "</p>\n";
  }
}

void basis(const Report& report, std::ostream& out) {
  if (report.basis.empty()) return;
  out << "<details><summary>what these figures rest on</summary>\n";
  written(report.basis, "", out);
  out << "</details>\n";
}

void body(const Report& report, const Page& page, std::ostream& out) {
  const std::string title = title_of(report);
  out << "<h1>" << escaped(title) << "</h1>\n";
  key_figures(report.key_figures, out);
  if (!page.command.empty()) out << "<p class=\"command\"><code>" << escaped(page.command) << "</code></p>\n";
  picture(report, out);
  written(report.text, title, out);
  basis(report, out);
  if (!report.key.empty() || report.text.empty()) all_rows(report, out);
  for (const PageText& text : page.texts) folded(text.title, text.text, out);
  if (report.resolved) folded("the scenario with all that it leaves out", report.resolved(), out);
  folded("the result as JSON" + std::string(report.key.empty() ? "" : ", without the rows above"),
         document_text(report), out);
}

}  // namespace

std::string packed_rows(const Table& table) {
  std::string text = fmt::format("{{\"count\":{},\"columns\":[", table.rows.size());
  Written written;
  for (size_t c = 0; c < table.columns.size(); ++c) text += (c ? "," : "") + packed_column(table, c, written);
  return text + "]}";
}

void render_html(const Report& report, const Page& page, std::ostream& out) {
  out << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>"
      << escaped(title_of(report)) << "</title>\n<style>\n"
      << file("report.css") << "</style>\n</head>\n<body>\n";
  body(report, page, out);
  out << "<script>\n" << file("report.js") << "</script>\n</body>\n</html>\n";
}

}  // namespace cli
