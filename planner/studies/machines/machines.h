// Compares machines: each alternative of a scenario (resolve/alternatives.h) on each number of GPUs, with the best
// layout that a search finds there, and the time and cost of the run.
//
//     ScenarioText -> alternatives x numbers of GPUs -> layout opened by the policy -> search -> Plan -> MachineRow
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "planner/plan/goals.h"
#include "planner/resolve/alternatives.h"
#include "planner/resolve/layout_policy.h"
#include "planner/resolve/other_batches.h"
#include "planner/search/search.h"

namespace planner {

/// Machines of one text, and what a search opens of it.
struct MachineGroup {
  const ScenarioText& text;
  const std::vector<UsedEntries>& machines;
  Opens opens = Opens::unwritten;
  bool is_run = false;  // a known run as it is written, which others are held against
};

struct MachineRow {
  std::string name;                 // of the alternative: "dgx-h100"
  bool is_run = false;              // of such a group
  std::vector<dsl::Override> uses;  // of it; empty if no `use` is a list
  std::string gpu;
  int64_t gpus = 0;  // 0: not known, since the scenario cannot be read with the machine
  std::vector<std::pair<std::string, std::string>> choices;  // made by the search, values as `--set` takes them
  std::vector<std::string> written;                          // those of them that the scenario itself leaves open
  int64_t evaluated = 0;                                     // configurations that were costed
  std::optional<Plan> plan;                                  // the best; nullopt: nothing works or fits
  std::optional<Parallelism> layout;                         // of the plan
  std::string mistake;                                       // why the scenario cannot be read; then it has no plan
  std::string reason;                                        // without a plan: the rule that refuses the candidates
  std::optional<OtherBatch> other_batch;                     // with which there is one
  std::optional<double> price_usd_per_gpu_hour;
  hw_profiles::PriceTerms price_terms;  // of that price, if it is the catalogue's
  /// nullopt: the goal has no such limit, or it cannot be computed (days without tokens, dollars without a price).
  std::optional<bool> meets_deadline, meets_budget;
  bool lacks_price = false;  // the goal has a budget, and the run has no cost
  GoalMiss miss;
  double objective = 0;  // smaller is better: the goal's; without one dollars where any row has a price, else days,
                         // else seconds of a step; infinite if a row has none

  bool is_met() const { return plan && !lacks_price && meets_deadline.value_or(true) && meets_budget.value_or(true); }
};

/// Plans every row: groups, then machines, outermost. Deadline and budget refuse nothing: a row reports whether it
/// meets them. An alternative with which the scenario cannot be read is a row that says why. It is an error only if its
/// name is not an entry, or if all alternatives fail. Of `search`, only threads and `stop` are used. Empty: diagnosed
/// before any search, or stopped before the first.
std::vector<MachineRow> machine_rows(std::span<const MachineGroup> groups, const SearchOptions& search,
                                     dsl::Diagnostics& diagnostics);

/// Returns the row that meets deadline and budget with the smallest objective, the first of equals; nullopt: none does.
std::optional<size_t> best_machine(const std::vector<MachineRow>& rows);
/// Returns the row that misses them by the smallest shares, the first of equals; nullopt: no row has a plan.
std::optional<size_t> nearest_machine(const std::vector<MachineRow>& rows);

}  // namespace planner
