#include "cli/render/html_columns.h"

#include <fmt/format.h>

#include <unordered_map>

#include "cli/render/json_text.h"

namespace cli {
namespace {

constexpr size_t kRowsOfValue = 3;  // a value that is said once and named by its number is on so many rows or more

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

std::string packed_column(const Table& table, size_t column) {
  std::unordered_map<std::string, size_t> numbers;
  std::vector<std::string> distinct, cells;
  for (const std::vector<Data>& row : table.rows) {
    cells.push_back(packed_cell(row[column]));
    if (numbers.try_emplace(cells.back(), distinct.size()).second) distinct.push_back(cells.back());
  }
  if (distinct.size() == 1) return fmt::format("{{\"all\":{}}}", distinct.front());
  if (distinct.size() * kRowsOfValue > cells.size()) return fmt::format("{{\"values\":[{}]}}", fmt::join(cells, ","));
  for (std::string& cell : cells) cell = std::to_string(numbers.at(cell));
  return fmt::format("{{\"of\":[{}],\"at\":[{}]}}", fmt::join(distinct, ","), fmt::join(cells, ","));
}

}  // namespace

std::string packed_rows(const Table& table) {
  std::string text = fmt::format("{{\"count\":{},\"columns\":[", table.rows.size());
  for (size_t c = 0; c < table.columns.size(); ++c) text += (c ? "," : "") + packed_column(table, c);
  return text + "]}";
}

}  // namespace cli
