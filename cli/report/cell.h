// A plain value of a row. A text is whoever's it is: a cell lasts no longer.
#pragma once

#include <cmath>
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
  const bool exact = std::abs(x) < 9007199254740992.0 && x == std::floor(x);  // 2^53; false for NaN
  return exact ? Cell(static_cast<int64_t>(x)) : Cell(x);
}

}  // namespace cli
