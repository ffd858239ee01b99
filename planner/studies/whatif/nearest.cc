#include "planner/studies/whatif/nearest.h"

#include <algorithm>
#include <cassert>

#include "planner/plan/goals.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

bool fits_memory(const Scenario& s) { return !make_memory(s, build_workload(s)).overflows(); }

double price(const Plan& plan) {
  return plan.cost->usd ? *plan.cost->usd : static_cast<double>(plan.cost->gpus) * plan.step->seconds;
}

/// Those that break nothing are added to `fixes`. `first`: a change that is made already, of a setting before theirs.
void try_changes(const std::vector<LayoutChange>& changes, const LayoutChange* first, std::vector<Fix>& fixes) {
  for (const LayoutChange& change : changes) {
    if ((first && change.setting <= first->setting) || !fits_memory(change.loaded.scenario)) continue;
    Plan plan = make_unchecked_plan(change.loaded.scenario);
    dsl::Diagnostics unasked;
    check_goals(plan, change.loaded, unasked);
    if (!plan.feasible) continue;
    Sets sets = first ? first->sets : Sets();
    for (const auto& set : change.sets) {
      std::erase_if(sets, [&](const auto& earlier) { return earlier.first == set.first; });
      sets.push_back(set);
    }
    fixes.push_back({std::move(sets), std::move(plan)});
  }
}

/// The cheapest that still holds when it is read and planned.
std::optional<Fix> cheapest(std::vector<Fix> fixes, const Sets& choices, const Reread& reread) {
  std::vector<Fix*> by_price;
  for (Fix& fix : fixes) by_price.push_back(&fix);
  std::stable_sort(by_price.begin(), by_price.end(),
                   [](const Fix* a, const Fix* b) { return price(a->plan) < price(b->plan); });
  for (Fix* each : by_price) {
    Fix& fix = *each;
    Sets sets = choices;
    sets.insert(sets.end(), fix.sets.begin(), fix.sets.end());
    const std::optional<LoadedScenario> loaded = reread(sets);
    if (!loaded) continue;
    fix.plan = plan_with_goals(*loaded);
    if (fix.plan.feasible) return std::move(fix);
  }
  return std::nullopt;
}

}  // namespace

NearestMiss nearest_miss(const Sets& choices, const Reread& reread) {
  const std::optional<LoadedScenario> loaded = reread(choices);
  assert(loaded && "a candidate that was costed is a scenario");
  NearestMiss miss{.choices = choices, .plan = plan_with_goals(*loaded)};
  miss.overflow = overflow_of(*miss.plan.memory);
  const auto is_told = [](const Violation& v) { return v.rule == kMemoryRule; };
  if (miss.overflow && std::ranges::none_of(miss.plan.violations, is_told))
    miss.plan.violations.push_back({kMemoryRule, miss.overflow->text()});
  const std::vector<LayoutChange> changes = layout_changes(*loaded);
  std::vector<Fix> fixes;
  try_changes(changes, nullptr, fixes);
  miss.fix = cheapest(std::move(fixes), choices, reread);
  if (miss.fix) return miss;
  fixes.clear();
  for (const LayoutChange& change : changes) try_changes(layout_changes(change.loaded), &change, fixes);
  miss.fix = cheapest(std::move(fixes), choices, reread);
  return miss;
}

}  // namespace planner
