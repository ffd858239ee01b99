// Data types as profilers write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "hw_profiles/types.h"

namespace planner::trace {

/// Returns the bytes of one element ("Float", "c10::BFloat16", "long int"); 0: the type is unknown.
int64_t bytes_of_type(std::string_view type);

/// Returns the precision of floating-point numbers of a type; nullopt: the models do not have it.
std::optional<hw_profiles::Precision> precision_of_type(std::string_view type);

}  // namespace planner::trace
