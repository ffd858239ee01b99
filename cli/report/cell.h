// A plain value of a row. A text is whoever's it is: a cell lasts no longer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "cli/report/data.h"

namespace cli {

using Cell = std::variant<std::monostate, bool, int64_t, double, std::string_view>;

inline Cell cell_of(const std::optional<double>& figure) { return figure ? Cell(*figure) : Cell(); }
Data data_of(const Cell& cell);
/// An integer where `x` is whole and exact as one, else the figure itself.
inline Cell whole_cell(double x) {
  const auto count = exact_count(x);
  return count ? Cell(*count) : Cell(x);
}

}  // namespace cli
