// Sizes that the degrees of a layout must divide evenly.
#pragma once

#include <span>

#include "planner/scenario/scenario.h"

namespace planner {

/// Something that a degree must divide evenly. The sentence is `what`, with its extent, and "not divisible by tp 8".
struct Division {
  const char* rule;  // that is broken where it does not (plan/violations.cc)
  DegreeOf degree;
  const char* what;                    // "{} attention heads are"
  int64_t (*extent)(const Scenario&);  // 0: there is nothing to divide
  const char* note = "";
};
std::span<const Division> divisions();

}  // namespace planner
