#include "cli/report/cell.h"

#include <string>
#include <type_traits>

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

}  // namespace cli
