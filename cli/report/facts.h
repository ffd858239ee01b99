// Words and tables that many pages share.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/report/report.h"

namespace cli {

/// "1 rank", "3 ranks".
template <std::integral Count> std::string counted(Count n, std::string_view what) {
  return std::to_string(n) + ' ' + std::string(what) + (n == 1 ? "" : "s");
}

/// "1.235x".
inline std::string times(double x) { return four_digits(x) + "x"; }

/// Adds a fact to a table of them (fact_table).
inline void add_fact(Table& facts, const char* name, std::string text) {
  facts.rows.push_back({name, std::move(text)});
}

/// Adds the tables that have rows.
inline void add_tables(std::vector<Table> tables, std::vector<Block>& page) {
  for (Table& table : tables)
    if (!table.rows.empty()) page.emplace_back(std::move(table));
}

}  // namespace cli
