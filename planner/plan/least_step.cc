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

Pipelined pipelined_in(const Scenario& s, const StageTime& time, const LeastMakespans& least) {
  Pipelined pipeline{.microbatches = microbatches_of(s)};
  const double work = static_cast<double>(pipeline.microbatches) * seconds_of(time);
  pipeline.time.bubble = std::max(0.0, least.without - work);
  pipeline.time.send = std::max(0.0, least.with_sends - work - pipeline.time.bubble);
  return pipeline;
}

// The step if a stage of the class finishes last, in `least` at the earliest.
double step_of(const Scenario& s, const StepOutline& o, size_t stage_class, const LeastMakespans& least) {
  const StageSums& sums = o.sums[stage_class];
  const Pipelined pipeline = pipelined_in(s, sums.time, least);
  if (o.wide.empty()) return breakdown_of(s, pipeline, sums.time, {}, 0).sum();
  StepWide wide = o.wide[stage_class];
  const double exposed = expose_step_wide({pipeline, o.holdings[stage_class].layers, sums, wide});
  return breakdown_of(s, pipeline, sums.time, wide, exposed).sum();
}

double step_of(const Scenario& s, const StageTime& time) {
  return breakdown_of(s, pipelined_in(s, time, {}), time, {}, 0).sum();
}

/// A fitted model says the step itself. Else it is `step_of(class)` of stage 0 where that finishes last, and `of_any()`
/// where a stage of any class may.
template <class StepOf, class OfAny>
double least_of(const Scenario& s, const StageDeal& deal, StepOf step_of, OfAny of_any) {
  if (const std::optional<double> fitted = fitted_seconds(s)) return *fitted;
  const bool any = deal.schedule->time_stages != nullptr;
  return (1 - kRounding) * (any ? of_any() : step_of(static_cast<size_t>(deal.class_of_stage.front())));
}

}  // namespace

double least_work_seconds(const Scenario& s, const StageDeal& deal, std::span<const StageTime> times) {
  const auto alone = [&](size_t stage_class) { return step_of(s, times[stage_class]); };
  return least_of(s, deal, alone, [&] {
    double longest = 0;  // no class is through before its work
    for (size_t i = 0; i < times.size(); ++i) longest = std::max(longest, alone(i));
    return longest;
  });
}

LeastMakespans least_makespans(const Scenario& s, const StageDeal& deal, const PipelineProfile& profile,
                               double boundary_seconds) {
  if (profile.stages() == 1) return {};
  const PipelineTraffic traffic = traffic_of(s, boundary_seconds);
  const double without = least_makespan_seconds(*deal.schedule, profile, {traffic.microbatches});
  const bool sends = traffic.send > 0;
  return {.with_sends = sends ? least_makespan_seconds(*deal.schedule, profile, traffic) : without, .without = without};
}

double least_step_seconds(const Scenario& s, const StepOutline& o) {
  const auto piped = [&](size_t stage_class) { return step_of(s, o, stage_class, o.makespans); };
  return least_of(s, o.deal, piped, [&] {
    // A stage of some class finishes last, and no class is through before its work.
    double last = 0, alone = 0;
    for (size_t i = 0; i < o.sums.size(); ++i) {
      last = i == 0 ? piped(i) : std::min(last, piped(i));
      alone = std::max(alone, step_of(s, o, i, {}));
    }
    return std::max(last, alone);
  });
}

}  // namespace planner
