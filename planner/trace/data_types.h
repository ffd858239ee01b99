// Data types as profilers write them.
#pragma once

#include <cstdint>
#include <string_view>

namespace planner::trace {

/// Returns the bytes of one element ("Float", "c10::BFloat16", "long int"); 0: the type is unknown.
int64_t bytes_of_type(std::string_view type);

}  // namespace planner::trace
