#include "planner/replay/rearrange.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <map>

namespace planner::replay {
namespace {

using trace::Event;
using trace::RankTrace;

/// The work of one rank's streams, and the edges that order it.
class StreamOrder {
 public:
  StreamOrder(const RankTrace& rank, size_t number, Replayed& replayed)
      : rank_(rank), nodes_(replayed.events[number]), graph_(replayed.graph) {
    std::vector<uint32_t> of_node(graph_.nodes.size(), trace::kNone);
    for (uint32_t i = 0; i < rank.events.size(); ++i)
      if (trace::is_on_device(rank.events[i].kind) && nodes_[i].first != Run::kNone) of_node[nodes_[i].first] = i;
    for (uint32_t e = 0; e < graph_.edges.size(); ++e) {
      const uint32_t event = of_node[graph_.edges[e].to];
      if (event == trace::kNone) continue;
      if (graph_.edges[e].cause == Cause::order) behind_[event] = e;
      if (graph_.edges[e].cause == Cause::launch) launch_[event] = e;
    }
    for (const uint32_t event : of_node)
      if (event != trace::kNone) lanes_[rank.events[event].lane].push_back(event);
    for (auto& [lane, events] : lanes_)
      events.sort([&](uint32_t a, uint32_t b) { return rank.events[a].start_ns < rank.events[b].start_ns; });
  }

  /// Returns how many became part of the one before.
  size_t fuse(const std::vector<uint32_t>& groups) {
    size_t fused = 0;
    for (const auto& [lane, events] : lanes_)
      for (auto i = events.begin(), before = i++; i != events.end(); before = i++)
        if (groups[*i] != 0 && groups[*i] == groups[*before]) join(*i), ++fused;
    return fused;
  }

  /// Returns how many were moved.
  size_t move(const std::vector<bool>& named, int64_t stream) {
    std::map<int64_t, uint32_t> lane_of;  // by device
    for (const auto& [lane, events] : lanes_)
      if (rank_.lanes[lane].thread == stream) lane_of.try_emplace(rank_.lanes[lane].process, lane);
    std::vector<StreamMove> moves;
    for (auto& [lane, events] : lanes_) {
      const auto to = lane_of.find(rank_.lanes[lane].process);
      if (to == lane_of.end() || to->second == lane) continue;
      for (auto at = events.begin(); at != events.end(); ++at)
        if (named[*at]) moves.push_back({trace::launched_ns(rank_, *at), lane, to->second, at});
    }
    // Each goes behind the one before: the stream is walked once.
    std::ranges::stable_sort(moves, {}, &StreamMove::launched_ns);
    std::map<uint32_t, Events::iterator> behind;
    for (const auto& [lane, events] : lanes_) behind[lane] = lanes_[lane].begin();
    for (const StreamMove& move : moves) {
      const uint32_t event = *move.at;
      take_out(move);
      put_in(event, move, behind[move.to]);
    }
    return moves.size();
  }

 private:
  using Events = std::list<uint32_t>;
  struct StreamMove {
    int64_t launched_ns;
    uint32_t from, to;  // lanes
    Events::iterator at;
  };

  // Nothing lies between the two, and the call that launched the second is not made.
  void join(uint32_t event) {
    if (const auto edge = behind_.find(event); edge != behind_.end())
      graph_.edges[edge->second].lag_ns = std::min<int64_t>(graph_.edges[edge->second].lag_ns, 0);
    const auto launch = launch_.find(event);
    if (launch == launch_.end()) return;
    ReplayEdge& edge = graph_.edges[launch->second];
    graph_.nodes[edge.from].duration_ns = 0;
    edge.delays = false;
  }

  void take_out(const StreamMove& move) {
    Events& events = lanes_[move.from];
    const auto next = std::next(move.at);
    if (next != events.end()) follow(*next, before(move.at, events));
    events.erase(move.at);
  }

  // Nothing before `at` was launched later than the inserted event.
  void put_in(uint32_t event, const StreamMove& move, Events::iterator& at) {
    Events& events = lanes_[move.to];
    while (at != events.end() && trace::launched_ns(rank_, *at) <= move.launched_ns) ++at;
    follow(event, before(at, events));
    if (at != events.end()) follow(*at, event);
    events.insert(at, event);
  }

  static uint32_t before(Events::iterator at, const Events& events) {
    return at == events.begin() ? trace::kNone : *std::prev(at);
  }

  // In its stream: what comes before is another, or nothing. What the device takes between two stays.
  void follow(uint32_t event, uint32_t before) {
    const auto edge = behind_.find(event);
    if (before == trace::kNone) {
      if (edge != behind_.end()) graph_.edges[edge->second].delays = false;
    } else if (edge != behind_.end()) {
      ReplayEdge& order = graph_.edges[edge->second];
      order.from = nodes_[before].last;
      order.lag_ns = std::max<int64_t>(order.lag_ns, 0);
      order.delays = true;
    } else {
      behind_[event] = static_cast<uint32_t>(graph_.edges.size());
      graph_.add({.from = nodes_[before].last, .to = nodes_[event].first});
    }
  }

  const RankTrace& rank_;
  const std::vector<EventNodes>& nodes_;
  Graph& graph_;
  std::map<uint32_t, Events> lanes_;              // events of each stream, in order
  std::map<uint32_t, uint32_t> behind_, launch_;  // by event: the edge from the one before, and from its call
};

}  // namespace

Rearranged apply(const Rearrangement& change, const trace::Trace& trace, Replayed& replayed) {
  Rearranged all;
  for (size_t r = 0; r < trace.size(); ++r) {
    if (change.rank && *change.rank != r) continue;
    std::vector<bool> named(trace[r].events.size());
    for (size_t i = 0; i < named.size(); ++i) {
      const Event& event = trace[r].events[i];
      named[i] = trace::is_on_device(event.kind) && matches(change.pattern, trace[r].name(event));
      all.found += named[i];
    }
    StreamOrder streams(trace[r], r, replayed);
    all.changed += change.stream ? streams.move(named, *change.stream) : streams.fuse({named.begin(), named.end()});
  }
  return all;
}

size_t fuse_groups(const trace::RankTrace& rank, size_t number, const std::vector<uint32_t>& groups,
                   Replayed& replayed) {
  return StreamOrder(rank, number, replayed).fuse(groups);
}

// The last '*' that was met takes as much as it must.
bool matches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') star = p++, from = t;
    else if (p < pattern.size() && pattern[p] == text[t]) ++p, ++t;
    else if (star != std::string_view::npos) p = star + 1, t = ++from;
    else return false;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace planner::replay
