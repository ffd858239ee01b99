// Whether a plan fits the memory. What would make it fit: studies/whatif/advice.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/plan/memory.h"
#include "planner/plan/violations.h"

namespace planner {

/// The fullest stage, and the largest part of its memory ("activations").
struct Overflow {
  int64_t stage = 0;
  MemoryUse use;
  std::string component;
  double component_bytes = 0;
  std::string text() const;
};
/// Returns a value if the peak fits with less than the probability of `goal.fit`.
std::optional<Overflow> overflow_of(const Memory& memory);
/// The rules of the memory of GPUs, and of that of their hosts.
inline constexpr const char *kMemoryRule = "memory", *kHostMemoryRule = "host-memory";
/// Returns messages for the memories with this verdict. For GPUs: the fullest stage, its excess and its largest
/// component. For hosts: the excess of a node.
std::vector<Violation> memory_told(const Memory& memory, FitVerdict verdict);

}  // namespace planner
