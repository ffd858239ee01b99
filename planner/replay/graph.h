// The replay engine: a dependency graph, and the resulting times.
//
// A node is a piece of work on one resource (a thread, a stream). It begins when all its dependencies are met. A thread
// and a stream do their work in the given order, so their queues (dPRO, section 4.3) are edges from each piece to the
// next. The times of Algorithm 1 of Lin et al. are the longest paths of the graph:
//
//     begin(n) = max(earliest(n), max over edges e into n of time(e) + lag(e))        end(n) = begin(n) + duration(n)
//
// Here time(e) is the begin or the end of the edge's source; only edges that delay count. A node without dependencies
// begins with the trace, at the least `earliest` of all. Of equal times the edge that was added first counts, so that
// the same graph has the same critical path.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace planner::replay {

/// Why something waits.
enum class Cause : uint8_t {
  order,      // the piece before it, in its thread or stream
  launch,     // the call that launches it
  event,      // an event of another stream
  data,       // a kernel whose tensors it takes (data_edges.h)
  sync,       // a host that waits for its device
  hand_over,  // another thread that goes on, or is done
  ranks,      // a collective: the last rank
  start,      // nothing: it is the first
};

inline constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

struct ReplayNode {
  int64_t duration_ns = 0;
  int64_t earliest_ns = kNever;
};

struct ReplayEdge {
  uint32_t from = 0, to = 0;
  int64_t lag_ns = 0;
  Cause cause = Cause::order;
  bool from_begin = false;  // counts from the begin of its source
  bool delays = true;       // false: it orders, but its target does not wait for it
};

/// When a node runs, and the edge that it waited for longest; nullopt-like `kNone`: none.
struct Run {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  int64_t begin_ns = 0, end_ns = 0;
  uint32_t waits = kNone;  // number of the edge
};

struct Graph {
  std::vector<ReplayNode> nodes;
  std::vector<ReplayEdge> edges;

  uint32_t add(ReplayNode node) {
    nodes.push_back(node);
    return static_cast<uint32_t>(nodes.size() - 1);
  }
  void add(ReplayEdge edge) { edges.push_back(edge); }
};

/// Returns when each node runs; nullopt: some wait for each other.
std::optional<std::vector<Run>> run(const Graph& graph);

/// Returns by how much each node could begin later without delaying a given node and its predecessors; kFree if it does
/// not matter for that node. `runs`: of the graph.
inline constexpr int64_t kFree = int64_t{1} << 60;
std::vector<int64_t> slacks(const Graph& graph, std::span<const Run> runs, uint32_t to);

/// Returns the edges of the critical path to a node, the first one first.
std::vector<uint32_t> critical_path(const Graph& graph, std::span<const Run> runs, uint32_t to);

}  // namespace planner::replay
