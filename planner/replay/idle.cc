#include "planner/replay/idle.h"

#include <algorithm>

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

const Edge* edge_of(const EventNodes& nodes, const Replayed& replayed, std::span<const Run> runs) {
  if (nodes.first == Run::kNone || runs[nodes.first].waits == Run::kNone) return nullptr;
  return &replayed.graph.edges[runs[nodes.first].waits];
}

}  // namespace

Idle idle_of(const trace::RankTrace& trace, size_t rank, trace::Interval window, const Replayed& replayed,
             std::span<const Run> runs) {
  Idle idle;
  int64_t busy_until = window.begin_ns;
  for (size_t i = 0; i < trace.events.size() && busy_until < window.end_ns; ++i) {
    const trace::Event& event = trace.events[i];
    if (!trace::is_on_device(event.kind) || event.end_ns() <= busy_until) continue;
    const int64_t begin = std::min(event.start_ns, window.end_ns);
    if (begin > busy_until)
      add(begin - busy_until, edge_of(replayed.events[rank][i], replayed, runs), replayed.typical_launch_ns[rank],
          idle);
    busy_until = event.end_ns();
  }
  idle.host_ns += std::max<int64_t>(0, window.end_ns - busy_until);
  return idle;
}

}  // namespace planner::replay
