#include "planner/plan/least_step.h"

#include <algorithm>

#include "planner/plan/fitted_step.h"
#include "planner/schedule/least_makespan.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

// More than rounding takes from the sum of a step's parts.
constexpr double kRounding = 1e-9;

double seconds_of(const StageTime& t) { return t.forward.total() + t.backward.total() + t.recompute.total(); }

// Of the transfers the last share is always seen (overlap.h, expose).
double least_exposed(const StepWide& wide, double layers) {
  double seconds = 0;
  for (const auto* transfers : {&wide.under_backward, &wide.under_forward, &wide.under_host})
    for (const Transfer& t : *transfers) seconds += t.count * t.seconds;
  return seconds / std::max(1.0, layers);
}

/// Makespans with and without sends, at least.
struct Makespans {
  double with_sends = 0, without = 0;
};

// The step if a stage of the class finishes last, in `least` at the earliest.
double step_of(const Scenario& s, const StepOutline& o, size_t stage_class, const Makespans& least) {
  const StageSums& sums = o.sums[stage_class];
  Pipelined pipeline{.time = {}, .microbatches = microbatches_of(s), .others = {}};
  const double work = static_cast<double>(pipeline.microbatches) * seconds_of(sums.time);
  pipeline.time.bubble = std::max(0.0, least.without - work);
  pipeline.time.send = std::max(0.0, least.with_sends - work - pipeline.time.bubble);
  if (o.wide.empty()) return breakdown_of(s, pipeline, sums.time, {}, 0).sum();
  const StepWide& wide = o.wide[stage_class];
  const double exposed = least_exposed(wide, o.holdings[stage_class].layers);
  return breakdown_of(s, pipeline, sums.time, wide, exposed).sum();
}

}  // namespace

double least_step_seconds(const Scenario& s, const StepOutline& o) {
  if (const std::optional<double> fitted = fitted_seconds(s)) return *fitted;
  const ScheduleRow& row = *o.deal.schedule;
  const Traffic traffic = traffic_of(s, o.boundary_seconds);
  Makespans least{};
  if (o.profile.stages() > 1) {
    least.without = least_makespan_seconds(row, o.profile, {traffic.microbatches});
    least.with_sends = traffic.send > 0 ? least_makespan_seconds(row, o.profile, traffic) : least.without;
  }
  if (!row.time_stages)  // stage 0 finishes last
    return (1 - kRounding) * step_of(s, o, static_cast<size_t>(o.deal.class_of_stage.front()), least);
  // A stage of some class finishes last, and no class is through before its work.
  double last = 0, alone = 0;
  for (size_t i = 0; i < o.sums.size(); ++i) {
    const double seconds = step_of(s, o, i, least);
    last = i == 0 ? seconds : std::min(last, seconds);
    alone = std::max(alone, step_of(s, o, i, {}));
  }
  return (1 - kRounding) * std::max(last, alone);
}

}  // namespace planner
