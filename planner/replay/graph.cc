#include "planner/replay/graph.h"

#include <algorithm>

namespace planner::replay {
namespace {

/// The edges at each node, those that begin there (&Edge::from) or end there (&Edge::to), as they were added.
struct EdgesAt {
  EdgesAt(const Graph& graph, uint32_t ReplayEdge::*side) : begins(graph.nodes.size() + 1), edges(graph.edges.size()) {
    for (const ReplayEdge& edge : graph.edges) ++begins[edge.*side + 1];
    for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    std::vector<uint32_t> next(begins.begin(), begins.end() - 1);
    for (uint32_t e = 0; e < graph.edges.size(); ++e) edges[next[graph.edges[e].*side]++] = e;
  }
  std::span<const uint32_t> of(uint32_t node) const {
    return {edges.data() + begins[node], edges.data() + begins[node + 1]};
  }
  std::vector<uint32_t> begins, edges;
};

/// Runs nodes in the order of their numbers, which is nearly that of time. A node that waits for an unfinished node is
/// put into that node's list, and continues when that node has run. This reads memory sequentially, unlike a queue of
/// all ready nodes.
class GraphRunner {
 public:
  explicit GraphRunner(const Graph& graph)
      : graph_(graph),
        incoming_(graph, &ReplayEdge::to),
        looked_at_(graph.nodes.size()),
        first_waiting_(graph.nodes.size(), Run::kNone),
        next_waiting_(graph.nodes.size()),
        runs_(graph.nodes.size()) {
    for (uint32_t n = 0; n < runs_.size(); ++n) {
      const int64_t earliest = graph.nodes[n].earliest_ns;
      runs_[n] = {.begin_ns = earliest, .end_ns = kNever};
      if (earliest != kNever) origin_ns_ = std::min(origin_ns_.value_or(earliest), earliest);
    }
  }

  std::optional<std::vector<Run>> run() {
    size_t done = 0;
    for (uint32_t n = 0; n < runs_.size(); ++n) {
      ready_.push_back(n);
      while (!ready_.empty()) {
        const uint32_t node = ready_.back();
        ready_.pop_back();
        if (!begins(node)) continue;
        ++done;
        end(node);
      }
    }
    if (done < runs_.size()) return std::nullopt;
    return std::move(runs_);
  }

 private:
  // False: it waits for another node, and begins when it is tried again.
  bool begins(uint32_t n) {
    Run& run = runs_[n];
    const std::span<const uint32_t> edges = incoming_.of(n);
    for (uint32_t& i = looked_at_[n]; i < edges.size(); ++i) {
      const ReplayEdge& edge = graph_.edges[edges[i]];
      const Run& from = runs_[edge.from];
      if (from.end_ns == kNever) {
        next_waiting_[n] = first_waiting_[edge.from];
        first_waiting_[edge.from] = n;
        return false;
      }
      if (!edge.delays) continue;
      const int64_t time = (edge.from_begin ? from.begin_ns : from.end_ns) + edge.lag_ns;
      if (time > run.begin_ns) run.begin_ns = time, run.waits = edges[i];
    }
    return true;
  }

  void end(uint32_t n) {
    Run& run = runs_[n];
    if (run.begin_ns == kNever) run.begin_ns = origin_ns_.value_or(0);
    run.end_ns = run.begin_ns + graph_.nodes[n].duration_ns;
    for (uint32_t to = first_waiting_[n]; to != Run::kNone; to = next_waiting_[to]) ready_.push_back(to);
  }

  const Graph& graph_;
  const EdgesAt incoming_;
  std::optional<int64_t> origin_ns_;                    // where the trace begins
  std::vector<uint32_t> looked_at_;                     // of each node: how many of its edges
  std::vector<uint32_t> first_waiting_, next_waiting_;  // lists through the nodes
  std::vector<uint32_t> ready_;
  std::vector<Run> runs_;
};

}  // namespace

std::optional<std::vector<Run>> run(const Graph& graph) { return GraphRunner(graph).run(); }

// From the end to the begin: a node is known when all that wait for it are.
std::vector<int64_t> slacks(const Graph& graph, std::span<const Run> runs, uint32_t to) {
  const EdgesAt incoming(graph, &ReplayEdge::to);
  std::vector<uint32_t> waiting(graph.nodes.size()), ready;
  for (const ReplayEdge& edge : graph.edges) ++waiting[edge.from];
  for (uint32_t n = 0; n < graph.nodes.size(); ++n)
    if (waiting[n] == 0) ready.push_back(n);
  std::vector<int64_t> slack(graph.nodes.size(), kFree);
  slack[to] = 0;
  while (!ready.empty()) {
    const uint32_t n = ready.back();
    ready.pop_back();
    for (const uint32_t e : incoming.of(n)) {
      const ReplayEdge& edge = graph.edges[e];
      const Run& from = runs[edge.from];
      const int64_t spare = runs[n].begin_ns - edge.lag_ns - (edge.from_begin ? from.begin_ns : from.end_ns);
      if (edge.delays) slack[edge.from] = std::min(slack[edge.from], std::min(kFree, slack[n] + spare));
      if (--waiting[edge.from] == 0) ready.push_back(edge.from);
    }
  }
  return slack;
}

std::vector<uint32_t> critical_path(const Graph& graph, std::span<const Run> runs, uint32_t to) {
  std::vector<uint32_t> path;
  for (uint32_t e = runs[to].waits; e != Run::kNone; e = runs[graph.edges[e].from].waits) path.push_back(e);
  std::ranges::reverse(path);
  return path;
}

}  // namespace planner::replay
