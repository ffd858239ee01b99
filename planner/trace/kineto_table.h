// What the words of Kineto's traces mean.
#pragma once

#include <optional>
#include <string_view>

#include "planner/trace/trace.h"

namespace planner::trace {

/// Returns the kind of a category; nullopt: its events are not kept.
std::optional<Kind> kind_of(std::string_view category);

/// Returns what a kernel of this name does. Libraries of communication name theirs by a prefix.
Role role_of(Kind kind, std::string_view name);

/// Returns a kernel's name without its parameters: "ncclKernel_AllReduce_RING_LL_Sum_float(...)".
std::string_view without_parameters(std::string_view kernel);

/// Returns whether an annotation marks a step of the profiler's schedule.
bool is_step(std::string_view annotation);

}  // namespace planner::trace
