// The whole run: steps, days, dollars, energy, failures (docs/models.md, cost of a run).
#include <algorithm>
#include <cmath>

#include "planner/step.h"

namespace planner {
namespace {

constexpr double kDay = 86400, kHour = 3600, kJoulesPerKwh = 3.6e6;

// Young 1974 and Daly 2006: the interval that balances saving against lost work, and what remains useful.
void failures(const Scenario& s, RunCost& cost) {
  const hw_profiles::Checkpoint& save = s.cluster.checkpoint;
  const double system = s.cluster.mtbf.value / static_cast<double>(s.cluster.gpus);
  cost.checkpoint_interval_seconds = std::sqrt(2 * save.save.value * system);
  const double interval = cost.checkpoint_interval_seconds;
  const double saving = interval > 0 ? save.save.value / interval : 0;
  const double waste = saving + (interval / 2 + save.detect.value + save.restart.value) / system;
  cost.goodput = std::max(0.0, 1 - waste);
}

}  // namespace

RunCost make_run_cost(const Scenario& s, double step) {
  RunCost cost{.gpus = s.cluster.gpus};
  failures(s, cost);
  if (!s.job.tokens) return cost;
  const double gpus = static_cast<double>(cost.gpus);
  const double tokens = static_cast<double>(*s.job.tokens);
  cost.tokens = tokens;
  cost.steps = std::ceil(tokens / (static_cast<double>(s.job.global_batch) * static_cast<double>(s.job.sequence)));
  const double ideal = *cost.steps * step;
  cost.days_ideal = ideal / kDay;
  if (cost.goodput <= 0) return cost;  // failures come faster than the job recovers: it never ends
  const double wall = ideal / cost.goodput;
  cost.days = wall / kDay;
  cost.gpu_hours = gpus * wall / kHour;
  cost.expected_failures = wall * gpus / s.cluster.mtbf.value;
  const double nodes = gpus / static_cast<double>(s.cluster.gpus_per_node);
  const double power = (nodes * s.cluster.node_power.value + gpus * s.cluster.network_power.value) * s.cluster.pue;
  cost.kwh = power * wall / kJoulesPerKwh;
  if (!s.cluster.price) return cost;
  double usd = gpus * wall * s.cluster.price->value;
  if (s.cluster.power_price) usd += power * wall * s.cluster.power_price->value;
  cost.usd = usd;
  cost.usd_per_1e12_tokens = usd / tokens * 1e12;
  return cost;
}

}  // namespace planner
