#include "planner/replay/graph.h"

#include <algorithm>

namespace planner::replay {
namespace {

/// The edges at each node, those that begin there (&Edge::from) or end there (&Edge::to), as they were added.
struct EdgesAt {
  EdgesAt(const Graph& graph, uint32_t Edge::*side) : begins(graph.nodes.size() + 1), edges(graph.edges.size()) {
    for (const Edge& edge : graph.edges) ++begins[edge.*side + 1];
    for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    std::vector<uint32_t> next(begins.begin(), begins.end() - 1);
    for (uint32_t e = 0; e < graph.edges.size(); ++e) edges[next[graph.edges[e].*side]++] = e;
  }
  std::span<const uint32_t> of(uint32_t node) const {
    return {edges.data() + begins[node], edges.data() + begins[node + 1]};
  }
  std::vector<uint32_t> begins, edges;
};

}  // namespace

std::optional<std::vector<Run>> run(const Graph& graph) {
  const EdgesAt outgoing(graph, &Edge::from);
  std::vector<uint32_t> missing(graph.nodes.size()), ready;
  for (const Edge& edge : graph.edges) ++missing[edge.to];
  std::vector<Run> runs(graph.nodes.size());
  for (uint32_t n = 0; n < graph.nodes.size(); ++n) {
    runs[n].begin_ns = graph.nodes[n].earliest_ns;
    if (missing[n] == 0) ready.push_back(n);
  }
  size_t done = 0;
  while (!ready.empty()) {
    const uint32_t n = ready.back();
    ready.pop_back();
    ++done;
    if (runs[n].begin_ns == kNever) runs[n].begin_ns = 0;
    runs[n].end_ns = runs[n].begin_ns + graph.nodes[n].duration_ns;
    for (const uint32_t e : outgoing.of(n)) {
      const Edge& edge = graph.edges[e];
      const int64_t time = (edge.from_begin ? runs[n].begin_ns : runs[n].end_ns) + edge.lag_ns;
      Run& to = runs[edge.to];
      const bool later = time > to.begin_ns || (time == to.begin_ns && to.waits != Run::kNone && e < to.waits);
      if (later) to.begin_ns = time, to.waits = e;
      if (--missing[edge.to] == 0) ready.push_back(edge.to);
    }
  }
  if (done < graph.nodes.size()) return std::nullopt;
  return runs;
}

// From the end to the begin: a node is known when all that wait for it are.
std::vector<int64_t> slacks(const Graph& graph, std::span<const Run> runs, uint32_t to) {
  const EdgesAt incoming(graph, &Edge::to);
  std::vector<uint32_t> waiting(graph.nodes.size()), ready;
  for (const Edge& edge : graph.edges) ++waiting[edge.from];
  for (uint32_t n = 0; n < graph.nodes.size(); ++n)
    if (waiting[n] == 0) ready.push_back(n);
  std::vector<int64_t> slack(graph.nodes.size(), kFree);
  slack[to] = 0;
  while (!ready.empty()) {
    const uint32_t n = ready.back();
    ready.pop_back();
    for (const uint32_t e : incoming.of(n)) {
      const Edge& edge = graph.edges[e];
      const Run& from = runs[edge.from];
      const int64_t spare = runs[n].begin_ns - edge.lag_ns - (edge.from_begin ? from.begin_ns : from.end_ns);
      slack[edge.from] = std::min(slack[edge.from], std::min(kFree, slack[n] + spare));
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
