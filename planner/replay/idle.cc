#include "planner/replay/idle.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace planner::replay {
namespace {

void add(int64_t idle, const Edge* waits, int64_t typical_launch, Idle& sum) {
  if (!waits) return void(sum.unexplained_ns += idle);
  const bool launched = waits->cause == Cause::launch || waits->cause == Cause::start;
  const int64_t usual = launched ? typical_launch + kMostGapNs : kMostGapNs;
  const int64_t unexplained = waits->cause == Cause::start ? 0 : std::clamp<int64_t>(waits->lag_ns - usual, 0, idle);
  sum.unexplained_ns += unexplained;
  (launched ? sum.host_ns : sum.gap_ns) += idle - unexplained;
}

}  // namespace

Idle idle_of(const trace::Step& step, size_t rank, const Replayed& replayed, std::span<const Run> runs) {
  std::vector<std::pair<int64_t, uint32_t>> begins;  // of its events, and the nodes with which they begin
  for (const size_t event : step.events) {
    const EventNodes& nodes = replayed.events[rank][event];
    begins.emplace_back(runs[nodes.first].begin_ns, static_cast<uint32_t>(event));
  }
  std::ranges::sort(begins);
  Idle idle;
  int64_t busy_until = kNever;
  for (const auto& [begin, event] : begins) {
    const EventNodes& nodes = replayed.events[rank][event];
    if (busy_until != kNever && begin > busy_until) {
      const uint32_t waits = runs[nodes.first].waits;
      add(begin - busy_until, waits == Run::kNone ? nullptr : &replayed.graph.edges[waits],
          replayed.typical_launch_ns[rank], idle);
    }
    busy_until = std::max(busy_until, runs[nodes.last].end_ns);
  }
  return idle;
}

}  // namespace planner::replay
