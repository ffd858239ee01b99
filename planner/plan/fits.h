// Whether a plan fits the memory. What would make it fit: relief.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/plan/memory.h"
#include "planner/plan/violations.h"

namespace planner {

/// The fullest stage, and the largest part of what it holds ("activations").
struct Overflow {
  int64_t stage = 0;
  double bytes = 0, usable_bytes = 0, capacity_bytes = 0;
  double probability = 0;  // that it fits
  std::string component;
  double component_bytes = 0;
  std::string text() const;
};
/// Where the peak is more than what fits as probably as `goal.fit` asks for.
std::optional<Overflow> overflow_of(const Memory& memory);
/// Whether the GPUs hold what they keep, as probably as `goal.fit` asks for, and the hosts too.
bool fits(const Memory& memory);
/// What a plan says of a peak that may fit or not; nullopt: its verdict is another.
std::optional<std::string> uncertain_fit(const Memory& memory);
/// The rule of the GPUs' memory.
inline constexpr const char* kMemoryRule = "memory";
/// One violation if the peak stage does not fit, naming stage, component and excess; one if the memory of a node's host
/// overflows.
std::vector<Violation> memory_violations(const Memory& memory);

}  // namespace planner
