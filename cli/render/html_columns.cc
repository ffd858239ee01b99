#include "cli/render/html_columns.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "cli/render/json_text.h"

namespace cli {
namespace {

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

/// Values that differ only behind the fifth digit are distinct: what is computed from one figure then has its rows.
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

}  // namespace

std::string packed_rows(const Table& table) {
  std::string text = fmt::format("{{\"count\":{},\"columns\":[", table.rows.size());
  Written written;
  for (size_t c = 0; c < table.columns.size(); ++c) text += (c ? "," : "") + packed_column(table, c, written);
  return text + "]}";
}

}  // namespace cli
