#include "cli/report/cell.h"

#include <cmath>
#include <string>

namespace cli {

Data data_of(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> Data {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate>) return {};
        else if constexpr (std::is_same_v<Value, std::string_view>) return std::string(value);
        else return value;
      },
      cell);
}

Cell whole_cell(double x) {
  const bool exact = std::abs(x) < 9007199254740992.0 && x == std::floor(x);  // 2^53; false for NaN
  return exact ? Cell(static_cast<int64_t>(x)) : Cell(x);
}

}  // namespace cli
