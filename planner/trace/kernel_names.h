// Which kernels communicate, by the names that their libraries use: the only place where a name decides this.
#pragma once

#include <string>
#include <string_view>

#include "planner/trace/trace.h"

namespace planner::trace {

/// Returns the role of a device's event of this name.
Role role_of(EventKind kind, std::string_view name);

/// Returns the letters and digits of a name, small.
std::string letters_of(std::string_view name);

/// Returns a kernel's name without its parameters: "ncclKernel_AllReduce_RING_LL_Sum_float(...)".
std::string_view without_parameters(std::string_view kernel);

}  // namespace planner::trace
