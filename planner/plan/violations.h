// What makes a configuration impossible: the rules of layouts, evaluated for one scenario.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/scenario/scenario.h"

namespace planner {

/// Why a configuration is not feasible. `rule` is a fixed word (ranks, batch, heads, memory, where ...).
struct Violation {
  std::string rule, message;
};

/// The rule for a program's requirements on a layout (kProgramRules).
inline constexpr const char* kProgramRule = "program";

/// Impossible layouts, all of them; empty: the workload can be built.
std::vector<Violation> layout_violations(const Scenario& scenario);
/// The first rule that is broken, as `layout_violations` names it; null: none.
const char* broken_layout_rule(const Scenario& scenario);

/// The rules by number, in the order of evaluation.
size_t layout_rule_count();
const char* layout_rule_name(size_t rule);
bool breaks_layout_rule(size_t rule, const Scenario& scenario);
/// Returns the number of the first rule that is broken; `layout_rule_count()`: none.
size_t first_broken_layout_rule(const Scenario& scenario);
/// Returns whether a rule may depend on a field, in candidates that differ only in fields of other rules. A rule listed
/// as reading more than it does only slows a search down.
bool layout_rule_reads(size_t rule, std::string_view path, const OpenScenario& open);
/// The same for candidates around a scenario in which any field may differ.
bool layout_rule_reads(size_t rule, std::string_view path, const Scenario& sample);

}  // namespace planner
