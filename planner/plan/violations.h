// What makes a configuration impossible. One row per rule: a new rule is one function and one row.
#pragma once

#include <string>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// Why a configuration is not feasible. `rule` is a fixed word (ranks, batch, heads, memory, where ...).
struct Violation {
  std::string rule, message;
};

/// Impossible layouts, all of them; empty: the workload can be built.
std::vector<Violation> layout_violations(const Scenario& scenario);
/// The first rule that is broken, as `layout_violations` names it; null: none.
const char* broken_layout_rule(const Scenario& scenario);

}  // namespace planner
