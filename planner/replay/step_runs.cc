#include "planner/replay/step_runs.h"

#include <algorithm>

#include "planner/trace/steps.h"

namespace planner::replay {
namespace {

/// What ends in a run.
class RunEnds {
 public:
  RunEnds(size_t rank, const Replayed& replayed, std::span<const Run> runs, const Rebucketed* came)
      : rank_(rank), replayed_(replayed), runs_(runs), came_(came) {}

  int64_t of_event(size_t event) const {
    const uint32_t last = replayed_.events[rank_][event].last;
    const bool removed = came_ && !came_->removed.empty() && came_->removed[rank_][event];
    return last == Run::kNone || removed ? kNever : runs_[last].end_ns;
  }
  int64_t of_step(const trace::Step& step, size_t at) const {
    int64_t end = kNever;
    for (const size_t event : step.events) end = std::max(end, of_event(event));
    if (!came_) return end;
    for (const PutIn& each : came_->put_in)
      if (each.rank == rank_ && each.step == at) end = std::max(end, runs_[each.end].end_ns);
    return end;
  }

 private:
  const size_t rank_;
  const Replayed& replayed_;
  const std::span<const Run> runs_;
  const Rebucketed* const came_;
};

std::vector<trace::TimeInterval> windows_in(const std::vector<trace::Step>& steps, size_t rank,
                                            const Replayed& replayed, std::span<const Run> runs,
                                            const Rebucketed* came) {
  const RunEnds ends(rank, replayed, runs, came);
  const std::vector<StepNodes>& nodes = replayed.steps[rank];
  const auto host = [&](size_t at) {
    const int64_t begin = runs[nodes[at].begin].begin_ns;
    return trace::TimeInterval{begin, begin + period_ns(nodes, at, runs)};
  };
  return trace::windows_of(steps, {.host = host,
                                   .done = [&](size_t at) { return ends.of_step(steps[at], at); },
                                   .before = [&](size_t event) { return ends.of_event(event); }});
}

}  // namespace

std::vector<int64_t> lengths_in(const std::vector<trace::Step>& steps, size_t rank, const Replayed& replayed,
                                std::span<const Run> runs, const Rebucketed* came) {
  std::vector<int64_t> lengths;
  for (const trace::TimeInterval& window : windows_in(steps, rank, replayed, runs, came))
    lengths.push_back(window.end_ns - window.begin_ns);
  return lengths;
}

double mean_seconds(const std::vector<std::vector<int64_t>>& lengths) {
  double sum = 0, steps = 0;
  for (const std::vector<int64_t>& rank : lengths)
    for (const int64_t ns : rank) sum += static_cast<double>(ns) * 1e-9, ++steps;
  return steps > 0 ? sum / steps : 0;
}

}  // namespace planner::replay
