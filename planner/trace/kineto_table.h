// The meaning of the words in Kineto's traces.
#pragma once

#include <cstdint>
#include <string_view>

#include "planner/trace/trace.h"

namespace planner::trace {

/// How an event of a category is used.
enum class EventCategory : uint8_t {
  kept,     // of a known kind
  guessed,  // of another backend, whose categories are named by the rule of the known ones: "mtia_kernel"
  left,     // known, and not kept: Python's frames, overheads, repetitions by device annotations
  unknown,
};
struct Categorised {
  EventCategory is = EventCategory::unknown;
  EventKind kind = EventKind::op;  // where it is kept or guessed
};
Categorised categorised(std::string_view category);

/// The mark of a step, followed by its number.
inline constexpr std::string_view kStep = "ProfilerStep#";
/// Returns whether an annotation marks a step of the profiler's schedule.
bool is_step(std::string_view annotation);

}  // namespace planner::trace
