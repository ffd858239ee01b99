#include "planner/replay/build.h"

#include <algorithm>

#include "planner/replay/rank_graph.h"

namespace planner::replay {
namespace {

uint32_t wait(ReplayEdge edge, Graph& graph) {
  edge.cause = Cause::ranks;
  graph.add(edge);
  return static_cast<uint32_t>(graph.edges.size() - 1);
}

// When all have pushed, and the rank has asked.
uint32_t asked(uint32_t pull, uint32_t join, Graph& graph) {
  const uint32_t both = graph.add(ReplayNode{});
  wait({.from = join, .to = both}, graph);
  wait({.from = pull, .to = both}, graph);
  return both;
}

/// Joins the ranks of a collective: it goes on when all have arrived. Each rank's kernel ends as long after that as it
/// did. A PULL can be answered from then on, and ends as long as it did after that or its own begin.
/// REQUIRES: the graphs of all ranks are there.
void join_ranks(const trace::Trace& trace, const trace::Matched& matched, size_t number, Replayed& made) {
  const trace::Collective& collective = matched.collectives[number];
  const int64_t arrival = arrival_ns(trace, collective.parts[collective.last]);
  const uint32_t join = made.graph.add(ReplayNode{});
  for (size_t p = 0; p < collective.parts.size(); ++p) {
    const trace::Collective::Part& part = collective.parts[p];
    const EventNodes& nodes = made.events[part.rank][part.event];
    const trace::Event& event = trace[part.rank].events[part.event];
    const bool pulls = part.push != trace::kNone;
    const uint32_t pushed = pulls ? made.events[part.rank][part.push].last : nodes.first;
    const uint32_t arrives = wait({.from = pushed, .to = join}, made.graph);
    const uint32_t from = pulls ? asked(nodes.first, join, made.graph) : join;
    const int64_t lag = event.end_ns() - (pulls ? std::max(arrival, event.start_ns) : arrival);
    const uint32_t edge =
        wait({.from = from, .to = nodes.last, .lag_ns = pulls ? lag : std::max<int64_t>(0, lag)}, made.graph);
    made.transfers.push_back(
        {.collective = number, .part = p, .arrival = nodes.first, .join = from, .arrives = arrives, .edge = edge});
  }
}

}  // namespace

Replayed build_graph(const trace::Trace& trace, const trace::RankSteps& steps, const trace::Matched& matched) {
  Replayed made;
  std::vector<std::vector<bool>> shared;
  for (const trace::RankTrace& rank : trace) shared.emplace_back(rank.events.size());
  for (const trace::Collective& collective : matched.collectives)
    for (const trace::Collective::Part& part : collective.parts)
      if (collective.parts.size() > 1) shared[part.rank][part.event] = true;
  for (size_t r = 0; r < trace.size(); ++r) {
    RankGraph(trace[r], steps[r], made).build(shared[r]);
  }
  for (size_t c = 0; c < matched.collectives.size(); ++c)
    if (matched.collectives[c].parts.size() > 1) join_ranks(trace, matched, c, made);
  return made;
}

}  // namespace planner::replay
