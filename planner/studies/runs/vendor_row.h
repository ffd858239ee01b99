// Rows of a vendor's table of results: a model and a machine by name, a layout, a rate.
#pragma once

#include <array>
#include <functional>
#include <string>

namespace planner {

/// Columns that such a table needs.
inline constexpr std::array kVendorColumns{"model", "system", "gpus", "tokens_per_s_per_gpu"};

/// The run as a user would write it: `cell` returns the text of a column, "" if there is none. Names are those of the
/// catalogue, with any spelling of case, '_' and '-'. Without a column `software` the program is Megatron-Bridge, the
/// source of these tables, in the row's release.
std::string vendor_scenario(const std::function<std::string(const char*)>& cell);

}  // namespace planner
