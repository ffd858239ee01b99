// A trace as a dependency graph (build.h), and the places of its events and its time in the graph.
#pragma once

#include <span>
#include <vector>

#include "planner/replay/graph.h"
#include "planner/trace/collectives.h"
#include "planner/trace/steps.h"
#include "planner/trace/trace.h"

namespace planner::replay {

/// A step of a rank, as nodes: one for each of `trace::steps_of`.
struct StepNodes {
  uint32_t begin = 0, end = 0;
};

/// The nodes of a rank's event in the graph: its begin and its end. kNone: not in the graph.
struct EventNodes {
  uint32_t first = Run::kNone, last = Run::kNone;
};

/// Time of a host's thread that the graph has as a duration or a lag: its measured time, and its place.
struct HostTime {
  uint32_t rank = 0;
  uint32_t lane = 0;  // in the rank
  int64_t begin_ns = 0, end_ns = 0;
  uint32_t node = Run::kNone, edge = Run::kNone;         // one of the two
  uint32_t before = trace::kNone, after = trace::kNone;  // events of the calls around a lag; kNone: no event
};

/// A transfer: the time of a rank's kernel, or of its PULL, after the last rank has arrived.
struct Transfer {
  size_t collective = 0, part = 0;  // in `Matched`
  uint32_t arrival = 0, join = 0;   // nodes: where the kernel or the PULL begins; where the transfer does
  uint32_t arrives = 0, edge = 0;   // edges: from the arrival to the join; from there, whose lag it is
};

struct Replayed {
  Graph graph;
  std::vector<HostTime> host;
  std::vector<Transfer> transfers;              // of collectives of several ranks, one for each rank
  std::vector<std::vector<EventNodes>> events;  // by rank, by event
  std::vector<std::vector<StepNodes>> steps;    // by rank
  std::vector<int64_t> typical_launch_ns;       // by rank: from a launch to the begin of a kernel that nothing held
  std::vector<uint32_t> ends;                   // by rank: the node after which nothing more happens
};

/// The event that a node is of; kNone: it is of none.
struct EventPlace {
  uint32_t rank = Run::kNone, event = Run::kNone;
  bool is_known() const { return event != Run::kNone; }
};
/// Returns it for each node.
std::vector<EventPlace> places_of(const Replayed& replayed);

/// Returns the duration or the lag that a time of a host is in the graph.
int64_t& time_of(const HostTime& time, Graph& graph);
int64_t time_of(const HostTime& time, const Graph& graph);

/// Returns the time from a step's begin on its host to the next one's, and of the last one its own.
int64_t period_ns(const std::vector<StepNodes>& steps, size_t at, std::span<const Run> runs);

}  // namespace planner::replay
