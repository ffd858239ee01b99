// Words for why a candidate does not count.
#pragma once

#include <string>
#include <vector>

#include "dsl/space.h"
#include "planner/plan/memory.h"
#include "planner/search/search_result.h"

namespace planner {

/// Returns the word for a combination that is refused before it is costed; null: it is not.
const char* refusal_name(dsl::Refusal refusal);
/// Returns the name of a condition that does not hold: one of the scenario, or a requirement of its program.
const char* refusal_name(const dsl::Condition& condition);
/// Adds the rules that a plan's memory breaks.
void add_overflows(const MemoryPeaks& memory, std::vector<std::string>& rules);
/// Returns the first of them; null: it fits.
const char* overflow(const MemoryPeaks& memory);
/// Returns how far memories are exceeded.
Excess memory_excess(const MemoryPeaks& memory);

}  // namespace planner
