#include "planner/replay/rank_join.h"

#include <algorithm>

namespace planner::replay {
namespace {

using trace::Event;

class RankJoin {
 public:
  RankJoin(const trace::Trace& trace, const trace::Matched& matched, size_t number, Replayed& made)
      : trace_(trace), number_(number), collective_(matched.collectives[number]), made_(made), graph_(made.graph) {}

  void join() {
    const int64_t arrival = arrival_ns(trace_, collective_.parts[collective_.last]);
    const uint32_t join = graph_.add(Node{});
    for (size_t p = 0; p < collective_.parts.size(); ++p) {
      const trace::Collective::Part& part = collective_.parts[p];
      const EventNodes& nodes = made_.events[part.rank][part.event];
      const Event& event = trace_[part.rank].events[part.event];
      const bool pulls = part.push != trace::kNone;
      const uint32_t arrives =
          wait({.from = pulls ? made_.events[part.rank][part.push].last : nodes.first, .to = join});
      const uint32_t from = pulls ? asked(nodes.first, join) : join;
      const int64_t lag = event.end_ns() - (pulls ? std::max(arrival, event.start_ns) : arrival);
      const uint32_t edge = wait({.from = from, .to = nodes.last, .lag_ns = pulls ? lag : std::max<int64_t>(0, lag)});
      made_.transfers.push_back(
          {.collective = number_, .part = p, .arrival = nodes.first, .join = from, .arrives = arrives, .edge = edge});
    }
  }

 private:
  // When all have pushed, and the rank has asked.
  uint32_t asked(uint32_t pull, uint32_t join) {
    const uint32_t both = graph_.add(Node{});
    wait({.from = join, .to = both});
    wait({.from = pull, .to = both});
    return both;
  }
  uint32_t wait(Edge edge) {
    edge.cause = Cause::ranks;
    graph_.add(edge);
    return static_cast<uint32_t>(graph_.edges.size() - 1);
  }

  const trace::Trace& trace_;
  const size_t number_;
  const trace::Collective& collective_;
  Replayed& made_;
  Graph& graph_;
};

}  // namespace

void join_ranks(const trace::Trace& trace, const trace::Matched& matched, size_t number, Replayed& made) {
  RankJoin(trace, matched, number, made).join();
}

}  // namespace planner::replay
