// The whole run: steps, days, dollars, energy, failures (docs/models.md, cost of a run).
#pragma once

#include <cstdint>
#include <optional>

#include "planner/scenario/scenario.h"

namespace planner {

/// Null where the scenario gives no tokens or no price.
struct RunCost {
  int64_t gpus = 0, spare_gpus = 0;  // spares stand by, beside `gpus`
  std::optional<double> tokens, steps, days_ideal, days, gpu_hours, usd, usd_per_1e12_tokens, kwh, co2_kg,
      expected_failures;
  double goodput = 1, checkpoint_interval_seconds = 0;
  double recovery_seconds = 0;  // from a failure until the job runs again
  std::optional<double> usd_per_gpu_hour, usd_power;
};

/// `tokens`: of a step; 0: those of the job's batch.
RunCost make_run_cost(const Scenario& scenario, double step_seconds, double tokens = 0);

}  // namespace planner
