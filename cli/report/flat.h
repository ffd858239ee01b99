// Nested data as rows of plain cells.
#pragma once

#include <functional>
#include <string_view>

#include "cli/report/data.h"

namespace cli {

using UseFlat = std::function<void(std::string_view name, const Data& value)>;

/// The text of a plain value: shortest digits that read back; text as it is; null empty.
std::string plain_text(const Data& value);

/// Calls `use` with the plain values in one member: nested names joined by dots, list items by their index:
/// {"a":{"b":[5]}} -> {"a.b.0": 5}. Lists of plain values become one text joined by blanks; an empty list or object is
/// null.
void each_flat(std::string_view name, const Data& value, const UseFlat& use);

}  // namespace cli
