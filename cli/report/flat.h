// Nested data as rows of plain cells.
#pragma once

#include <functional>
#include <string_view>

#include "cli/report/data.h"

namespace cli {

using UseFlat = std::function<void(std::string_view name, const Data& value)>;

/// Calls `use` with the names and values that `flatten` makes of one member.
void each_flat(std::string_view name, const Data& value, const UseFlat& use);

}  // namespace cli
