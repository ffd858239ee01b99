#include "planner/plan/run_cost.h"

#include <algorithm>
#include <cmath>

#include "dsl/unit_sizes.h"

namespace planner {
namespace {

using hw_profiles::Checkpoint;
using hw_profiles::CheckpointFormula;
using hw_profiles::Cluster;

constexpr double kNever = 1e-6;  // a goodput with which a day's work takes millennia

/// Seconds that a failed job waits for a node. Failed nodes are away for `repair`; how many at a time is a Poisson
/// number (Palm 1938), and what exceeds the spares is waited for (Sherbrooke 1968, METRIC: expected backorders).
double wait_for_node(const Cluster& c, double system) {
  const double away = c.checkpoint.repair.value / system;
  double missing = away, log_of_k = -away, at_most_k = 0;
  for (int64_t k = 0; k < c.spares && missing > 0; ++k) {
    at_most_k += std::exp(log_of_k);
    missing -= 1 - at_most_k;
    log_of_k += std::log(away / static_cast<double>(k + 1));
  }
  return std::max(0.0, missing) * system;
}

/// The interval that balances saving against lost work, from save to save. `daly` (Daly 2006, equation 37) has one save
/// less in it: the time between two.
double best_interval(const Checkpoint& c, double system) {
  const double save = c.save.value, young = std::sqrt(2 * save * system);
  if (c.formula == CheckpointFormula::young) return young;
  const double ratio = save / (2 * system);
  return ratio >= 1 ? system + save : young * (1 + std::sqrt(ratio) / 3 + ratio / 9);
}

// The share of the time that is useful. A failure loses half an interval, and what a save in the background held.
double young_goodput(const Checkpoint& c, double interval, double wait, double system) {
  const double saving = interval > 0 ? c.save.value / interval : 0;
  const double lost = interval / 2 + c.background.value;
  return std::max(0.0, 1 - (saving + (lost + c.detect.value + c.restart.value + wait) / system));
}

// Daly 2006, the complete cost function: failures strike saves and restarts too.
double daly_goodput(const Checkpoint& c, double interval, double wait, double system) {
  const double again = std::exp(-(c.background.value + c.detect.value + c.restart.value + wait) / system);
  const double segment = interval > 0 ? (interval - c.save.value) / (system * std::expm1(interval / system)) : 1;
  return again * segment < kNever ? 0 : again * segment;
}

void failures(const Cluster& c, RunCost& cost) {
  const Checkpoint& save = c.checkpoint;
  const double system = hw_profiles::time_between_failures(c).value / static_cast<double>(c.gpus);
  const double wait = wait_for_node(c, system);
  const double interval = save.interval ? save.interval->value : best_interval(save, system);
  cost.checkpoint_interval_seconds = std::max(interval, save.save.value + save.background.value);
  cost.recovery_seconds = save.detect.value + save.restart.value + wait;
  const auto goodput = save.formula == CheckpointFormula::young ? young_goodput : daly_goodput;
  cost.goodput = goodput(save, cost.checkpoint_interval_seconds, wait, system);
}

// Of the job's nodes and those that stand by, the facility's share included.
double watts(const Cluster& c) {
  const double gpus = static_cast<double>(c.gpus), nodes = gpus / static_cast<double>(c.gpus_per_node);
  const double idle = static_cast<double>(c.spares) * c.node_idle_power.value;
  const double spared = (c.gpu.power - hw_profiles::capped_power(c.gpu)).value;
  const double machines = std::max(0.0, nodes * c.node_power.value - gpus * spared);
  return (machines + gpus * c.network_power.value + idle) * c.pue;
}

}  // namespace

RunCost make_run_cost(const Scenario& s, double step, double of_step) {
  RunCost cost{.gpus = s.cluster.gpus, .spare_gpus = s.cluster.spares * s.cluster.gpus_per_node};
  failures(s.cluster, cost);
  const std::optional<dsl::UsdPerSecond> price = hw_profiles::hourly_price(s.cluster);
  if (price) cost.usd_per_gpu_hour = price->value * dsl::kHour;
  if (!s.job.tokens) return cost;
  const double gpus = static_cast<double>(cost.gpus);
  const double tokens = static_cast<double>(*s.job.tokens);
  cost.tokens = tokens;
  if (of_step <= 0) of_step = static_cast<double>(s.job.global_batch) * static_cast<double>(s.job.sequence);
  cost.steps = std::ceil(tokens / of_step);
  const double ideal = *cost.steps * step;
  cost.days_ideal = ideal / dsl::kDay;
  if (cost.goodput <= 0) return cost;  // failures come faster than the job recovers: it never ends
  const double wall = ideal / cost.goodput;
  cost.days = wall / dsl::kDay;
  cost.gpu_hours = gpus * wall / dsl::kHour;
  cost.expected_failures = wall * gpus / hw_profiles::time_between_failures(s.cluster).value;
  const double power = watts(s.cluster);
  cost.kwh = power * wall / dsl::kKilowattHour;
  if (s.cluster.carbon) cost.co2_kg = *cost.kwh * *s.cluster.carbon;
  if (s.cluster.power_price) cost.usd_power = power * wall * s.cluster.power_price->value;
  if (!price) return cost;
  const double usd = (gpus + static_cast<double>(cost.spare_gpus)) * wall * price->value;
  cost.usd = usd + cost.usd_power.value_or(0);
  cost.usd_per_1e12_tokens = *cost.usd / tokens * dsl::kTera;
  return cost;
}

}  // namespace planner
