#include "planner/plan/plan_figures.h"

#include <cmath>

namespace planner {

Plan::Plan(const Plan&) = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(const Plan&) = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

PlanFigures plan_figures(const Plan& plan) {
  return {.step = *plan.step,
          .breakdown = *plan.breakdown,
          .errors = plan.errors,
          .memory = *plan.memory,
          .throughput = *plan.throughput,
          .cost = *plan.cost};
}

void take_figures(const PlanFigures& figures, Plan& plan) {
  plan.step = figures.step;
  plan.breakdown = figures.breakdown;
  plan.errors = figures.errors;
  plan.throughput = figures.throughput;
  plan.cost = figures.cost;
}

bool is_finite(const StepTime& step) { return std::isfinite(step.seconds) && std::isfinite(step.high_seconds); }
bool is_finite(const MemoryPeaks& memory) {
  return std::isfinite(memory.device.peak_bytes) && std::isfinite(memory.host.peak_bytes);
}

}  // namespace planner
