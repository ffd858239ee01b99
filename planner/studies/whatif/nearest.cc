#include "planner/studies/whatif/nearest.h"

#include <algorithm>
#include <cassert>

#include "planner/plan/goals.h"

namespace planner {

NearestMiss nearest_miss(const Sets& choices, const Neighbours& neighbours, const Reread& reread) {
  const std::optional<LoadedScenario> loaded = reread(choices);
  assert(loaded && "a candidate that was costed is a scenario");
  NearestMiss miss{.choices = choices, .plan = plan_with_goals(*loaded), .overflow = {}, .advice = {}};
  miss.overflow = overflow_of(*miss.plan.memory);
  const auto is_told = [](const Violation& v) { return v.rule == kMemoryRule; };
  if (miss.overflow && std::ranges::none_of(miss.plan.violations, is_told))
    miss.plan.violations.push_back({kMemoryRule, miss.overflow->text()});
  miss.advice = advise(*loaded, choices, neighbours, reread);
  return miss;
}

}  // namespace planner
