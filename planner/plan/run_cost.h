// The whole run: steps, days, dollars, energy, failures (docs/models.md, cost of a run).
#pragma once

#include <cstdint>
#include <optional>

#include "planner/plan/figure_field.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// Null where the scenario gives no tokens or no price.
struct RunCost {
  int64_t gpus = 0, spare_gpus = 0;  // spares are standby, in addition to `gpus`
  std::optional<double> tokens, steps, days_ideal, days, gpu_hours, usd, usd_per_1e12_tokens, kwh, co2_kg,
      expected_failures;
  double goodput = 1, checkpoint_interval_seconds = 0;
  double recovery_seconds = 0;  // from a failure until the job runs again
  std::optional<double> usd_per_gpu_hour, usd_power;
};
template <class V> void fields(V& v, RunCost& c) {
  using enum FigureUnit;
  using enum WithStep;
  constexpr const char* kRun = "of the run; null without `job.tokens`";
  v("gpus", c.gpus,
    about(count, "of the job").in_expressions("gpus", fixed).in_rows("gpus").on_axis("GPUs").at_least(1));
  v("tokens", c.tokens, about(count, kRun));
  v("steps", c.steps, about(count, kRun));
  v("days_ideal", c.days_ideal, about(days, "days of the run without failures and checkpoints"));
  v("goodput", c.goodput,
    about(fraction, "days_ideal / days").in_expressions("goodput", fixed).on_axis("goodput").more_is_better());
  v("days", c.days,
    about(days, "days of the run with failures and checkpoints; null without `job.tokens`")
        .in_expressions("days", rises)
        .in_rows("days")
        .on_page("run", 3)
        .on_axis("run"));
  v("gpu_hours", c.gpu_hours, about(hours, "gpus x wall hours, lost time included"));
  v("usd", c.usd,
    about(usd, "machines, spares and electricity; null without `job.tokens`, `cluster.price` or `cluster.purchase`")
        .in_expressions("usd", rises)
        .in_rows("usd")
        .on_page("cost", 1)
        .on_axis("cost of the run"));
  v("usd_per_1e12_tokens", c.usd_per_1e12_tokens, about(usd, "the same for 1e12 tokens"));
  v("kwh", c.kwh,
    about(kwh, "energy of the run, with the facility's share")
        .in_expressions("kwh", rises)
        .in_rows("kwh")
        .on_axis("energy of the run"));
  v("co2_kg", c.co2_kg,
    about(number, "kg of CO2 for that energy; null without `cluster.carbon`")
        .in_expressions("co2_kg", rises)
        .in_rows("co2_kg")
        .on_axis("CO2 of the run, kg"));
  v("checkpoint_interval_seconds", c.checkpoint_interval_seconds,
    about(seconds, "from one checkpoint to the next: as given, or the best one (Young, Daly)"));
  v("expected_failures", c.expected_failures, about(number, "during the run"));
  v("recovery_seconds", c.recovery_seconds,
    about(seconds, "from a failure until the job runs again: detection, the wait for a node, restart"));
  v("spare_gpus", c.spare_gpus, about(count, "GPUs of the nodes that stand by; paid for, but in no other count"));
  v("usd_per_gpu_hour", c.usd_per_gpu_hour, about(usd, "rent, or what a machine of one's own costs per hour of work"));
  v("usd_power", c.usd_power, about(usd, "the electricity in `usd`; null without `cluster.power_price`"));
}

/// `tokens`: of a step; 0: those of the job's batch.
RunCost make_run_cost(const Scenario& scenario, double step_seconds, double tokens = 0);

}  // namespace planner
