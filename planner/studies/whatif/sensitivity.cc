#include "planner/studies/whatif/sensitivity.h"

#include <cmath>

#include "planner/plan/machine_changes.h"
#include "planner/plan/plan.h"

namespace planner {
namespace {

constexpr double kMore = 1.1;

/// 0 where nothing moves, also from nothing to nothing.
double elasticity(double before, double after) {
  return before == after ? 0 : std::log(after / before) / std::log(kMore);
}

/// Of what a plan may need before its verdict is that it does not fit.
double headroom(const MemoryUse& use) {
  return 1 - use.peak_bytes / most_bytes(use.error, kLeastUncertain, use.capacity_bytes);
}

std::optional<double> headroom(const std::string& field, const Memory& memory) {
  if (field == kMemoryField) return headroom(memory.device);
  if (field == kHostMemoryField) return headroom(memory.host);
  return std::nullopt;
}

}  // namespace

std::vector<Sensitivity> sensitivities(const Scenario& scenario) {
  const Plan plan = make_unchecked_plan(scenario);
  std::vector<Sensitivity> rows;
  for (const MachineChange& change : machine_changes(scenario, plan.memory->host.peak_bytes > 0)) {
    Scenario larger = scenario;
    change.scale(larger, kMore);
    const Plan other = make_unchecked_plan(larger);
    Sensitivity row{.field = change.field,
                    .step_elasticity = elasticity(plan.step->seconds, other.step->seconds),
                    .headroom_fraction = headroom(change.field, *plan.memory)};
    if (plan.cost->usd && other.cost->usd) row.usd_elasticity = elasticity(*plan.cost->usd, *other.cost->usd);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace planner
