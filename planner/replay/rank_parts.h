// One rank while its graph is built (build.h).
#pragma once

#include <vector>

#include "planner/replay/build.h"
#include "planner/replay/host.h"
#include "planner/replay/waits.h"

namespace planner::replay {

struct RankParts {
  /// All of these outlive it; `made` gets the graph.
  RankParts(const trace::RankTrace& rank, const std::vector<trace::Step>& steps, Replayed& made);

  /// Whether a call returns when the device has done something.
  bool waits_for_device(const HostItem& item) const;
  /// What nothing else says the time of comes as long after the rank's begin as it did.
  void begin_with_rank(uint32_t node, int64_t at);

  const trace::RankTrace& rank;
  const uint32_t number;  // in the trace
  Replayed& made;
  Graph& graph;
  Host host;
  const Launched launched;
  const Waits waits;
  std::vector<EventNodes> nodes;  // by event
};

}  // namespace planner::replay
