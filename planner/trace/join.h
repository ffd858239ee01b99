// An execution trace and the events of the same rank as one: which rank it is of, and which event each node was.
//
// Both may be of different iterations, so that numbers of the one mean nothing in the other. Of each thread operators
// and annotations are put side by side in the order in which they began, and those of the same name are joined, as many
// as there can be in that order; step by step where steps are marked (alignment.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/trace/dependencies.h"
#include "planner/trace/execution.h"
#include "planner/trace/trace.h"

namespace planner::trace {

/// A thread of the execution trace, and the most similar thread of the events.
struct JoinedThread {
  int64_t thread = -1;    // of the nodes
  uint32_t lane = kNone;  // of the events
  int64_t nodes = 0, operators = 0, joined = 0;
  bool is_aligned = true;  // false: too much differs, and nothing was joined
};

struct Joined {
  std::vector<uint32_t> node_of;   // by event: its place in `Execution::nodes`; kNone: it has none
  std::vector<uint32_t> event_of;  // by node: its place in `RankTrace::events`; kNone: it has none
  std::vector<JoinedThread> threads;
  int64_t nodes = 0, operators = 0;  // that could be: without processes and threads, and of the host
  int64_t joined = 0;
  int64_t shapes = 0,
          equal_shapes = 0;  // of the joined ones: where both have shapes, and where all shapes of events match

  double share_of_nodes() const { return nodes > 0 ? static_cast<double>(joined) / static_cast<double>(nodes) : 0; }
};

/// Joins the nodes of a rank with its events.
Joined join(const RankTrace& rank, const Execution& execution);

/// Converts dependencies of nodes to events; drops those with an unpaired end.
std::vector<Dependency> of_events(const std::vector<Dependency>& of_nodes, const Joined& joined);

struct Pairing {
  std::vector<uint32_t> rank_of;   // by execution trace: its place in the ranks
  std::vector<std::string> notes;  // guesses made
  std::string wrong;               // "", or why they cannot be joined
};

/// An execution trace belongs to the rank whose events are of its process. If no rank matches, or several ranks of
/// different hosts do, the remaining ranks are used in order, provided that their number matches: that is a guess.
Pairing pair_files(const std::vector<RankTrace>& ranks, const std::vector<Execution>& executions);

}  // namespace planner::trace
