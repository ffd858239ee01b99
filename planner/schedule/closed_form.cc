// GPipe and 1F1B by runs of equal stages: docs/models-schedule.md has the equations and their sources.
#include <algorithm>
#include <cassert>

#include "planner/schedule/costs.h"

namespace planner {

namespace {

/// Consecutive equal stages, with their times and those of the stages before them.
struct StageRun {
  int64_t first = 0, last = 0;
  double forward = 0, backward = 0;          // of each stage
  double slowest_forward, slowest_backward;  // of the stages up to the last
  double before;                             // forwards and backwards of the stages before the first
  double both() const { return forward + backward; }
  double up_to(int64_t stage) const { return before + static_cast<double>(stage - first + 1) * both(); }
};
using StageRuns = std::vector<StageRun>;

void add_run(StageRuns& runs, const OpCosts& costs, int64_t count, const ChunkTime& time) {
  if (count == 0) return;
  StageRun run{.slowest_forward = 0, .slowest_backward = 0, .before = 0};
  if (!runs.empty()) {
    run = runs.back();
    run.before = run.up_to(run.last);
    run.first = run.last + 1;
  }
  const ChunkTime held = costs.held(run.first, time);
  run.last = run.first + count - 1;
  run.forward = held.forward;
  run.backward = held.backward;
  run.slowest_forward = std::max(run.slowest_forward, run.forward);
  run.slowest_backward = std::max(run.slowest_backward, run.backward);
  runs.push_back(run);
}

/// The first and the last stage stand alone, since they send in one direction only. Good until the next call.
const StageRuns& stage_runs(const PipelineProfile& profile, const OpCosts& costs) {
  thread_local StageRuns runs;
  runs.clear();
  int64_t left = profile.stages();
  for (const auto& [count, time] : profile.runs()) {
    const int64_t first = runs.empty() ? 1 : 0, last = left == count ? 1 : 0;
    left -= count;
    add_run(runs, costs, first, time);
    add_run(runs, costs, count - first - last, time);
    add_run(runs, costs, last, time);
  }
  return runs;
}

/// Down to stage `turn` before the first backwards, then to where the path stays; all but the seconds of staying there.
/// `from`: the first stage that begins with fewer forwards than there are microbatches.
double way_in(const StageRuns& runs, int64_t from, const StageRun& at, int64_t stay) {
  const int64_t last = runs.back().last;
  double longest = 0;
  for (const StageRun& run : runs) {
    if (run.last < from) continue;
    for (const int64_t turn : {std::max(run.first, from), run.last}) {
      const double down = turn < stay ? at.up_to(stay) - static_cast<double>(stay - turn) * at.both() : run.up_to(turn);
      longest = std::max(longest, down + static_cast<double>(last - turn) * run.slowest_forward);
    }
  }
  return longest;
}

/// After the last forward of the stage where the path stays: the last microbatch on its way down to `turn`, and what
/// backwards are left.
double way_out(const StageRuns& runs, const StageRun& at, int64_t stay) {
  const int64_t last = runs.back().last;
  double longest = 0;
  for (const StageRun* run = &at; run <= &runs.back(); ++run) {
    for (const int64_t turn : {std::max(run->first, stay), run->last}) {
      const double down = run->up_to(turn) - at.up_to(stay);
      longest = std::max(longest, down + static_cast<double>(last - turn) * run->slowest_backward);
    }
  }
  return longest;
}

}  // namespace

double gpipe_by_runs(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  const OpCosts costs = op_costs(profile, traffic);
  const StageRuns& runs = stage_runs(profile, costs);
  // Identical jobs through machines in a row, the links among them: sum of the times + (m-1) * the slowest, each way.
  const double once = runs.back().up_to(runs.back().last) + 2 * static_cast<double>(costs.last) * costs.travel;
  const double each =
      std::max(runs.back().slowest_forward, costs.travel) + std::max(runs.back().slowest_backward, costs.travel);
  return once + static_cast<double>(traffic.microbatches - 1) * each;
}

double one_f_one_b_by_runs(const PipelineProfile& profile, const PipelineTraffic& traffic) {
  const OpCosts costs = op_costs(profile, traffic);
  assert(costs.travel == 0 && "the closed form cannot overlap sends with compute: the recurrence can");
  const StageRuns& runs = stage_runs(profile, costs);
  const int64_t before_last = traffic.microbatches - profile.stages(), from = std::max<int64_t>(0, -before_last);
  double longest = 0;
  for (const StageRun& run : runs) {
    if (run.last < from) continue;
    const int64_t stay = std::max(run.first, from);
    const double staying = static_cast<double>(before_last + stay) * run.both();
    longest = std::max(longest, way_in(runs, from, run, stay) + staying + way_out(runs, run, stay));
  }
  return longest;
}

}  // namespace planner
