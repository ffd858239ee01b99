#include "planner/replay/replayed.h"

namespace planner::replay {

std::vector<EventPlace> places_of(const Replayed& replayed) {
  std::vector<EventPlace> places(replayed.graph.nodes.size());
  for (uint32_t r = 0; r < replayed.events.size(); ++r)
    for (uint32_t i = 0; i < replayed.events[r].size(); ++i)
      for (const uint32_t node : {replayed.events[r][i].first, replayed.events[r][i].last})
        if (node != Run::kNone) places[node] = {r, i};
  return places;
}

int64_t& time_of(const HostTime& time, Graph& graph) {
  return time.node != Run::kNone ? graph.nodes[time.node].duration_ns : graph.edges[time.edge].lag_ns;
}

int64_t time_of(const HostTime& time, const Graph& graph) {
  return time.node != Run::kNone ? graph.nodes[time.node].duration_ns : graph.edges[time.edge].lag_ns;
}

int64_t period_ns(const std::vector<StepNodes>& steps, size_t at, std::span<const Run> runs) {
  const int64_t begin = runs[steps[at].begin].begin_ns;
  return (at + 1 < steps.size() ? runs[steps[at + 1].begin].begin_ns : runs[steps[at].end].end_ns) - begin;
}

}  // namespace planner::replay
