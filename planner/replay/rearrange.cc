#include "planner/replay/rearrange.h"

#include <algorithm>
#include <map>

#include "planner/replay/pattern.h"
#include "planner/trace/launches.h"

namespace planner::replay {
namespace {

using trace::Event;
using trace::RankTrace;

/// The work of one rank's streams, and the edges that order it.
class Streams {
 public:
  Streams(const RankTrace& rank, size_t number, Replayed& replayed)
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
      std::ranges::stable_sort(events, {}, [&](uint32_t event) { return rank.events[event].start_ns; });
  }

  /// Returns how many became part of the one before.
  size_t fuse(const std::vector<bool>& named) {
    size_t fused = 0;
    for (const auto& [lane, events] : lanes_)
      for (size_t i = 1; i < events.size(); ++i)
        if (named[events[i]] && named[events[i - 1]]) join(events[i]), ++fused;
    return fused;
  }

  /// Returns how many were moved.
  size_t move(const std::vector<bool>& named, int64_t stream) {
    size_t moved = 0;
    std::vector<std::pair<uint32_t, uint32_t>> moves;  // events and the lanes that they go to
    for (const auto& [lane, events] : lanes_)
      for (const uint32_t event : events)
        if (const auto to = lane_of(rank_.lanes[lane].process, stream); named[event] && to && *to != lane)
          moves.emplace_back(event, *to);
    for (const auto& [event, to] : moves) {
      take_out(event);
      put_in(event, to);
      ++moved;
    }
    return moved;
  }

 private:
  // Nothing lies between the two, and the call that launched the second is not made.
  void join(uint32_t event) {
    if (const auto edge = behind_.find(event); edge != behind_.end())
      graph_.edges[edge->second].lag_ns = std::min<int64_t>(graph_.edges[edge->second].lag_ns, 0);
    const auto launch = launch_.find(event);
    if (launch == launch_.end()) return;
    Edge& edge = graph_.edges[launch->second];
    graph_.nodes[edge.from].duration_ns = 0;
    edge.lag_ns = kDropped;
  }

  std::optional<uint32_t> lane_of(int64_t device, int64_t stream) const {
    for (const auto& [lane, events] : lanes_)
      if (rank_.lanes[lane].process == device && rank_.lanes[lane].thread == stream) return lane;
    return std::nullopt;
  }

  void take_out(uint32_t event) {
    std::vector<uint32_t>& events = lanes_[rank_.events[event].lane];
    const auto at = std::ranges::find(events, event);
    if (at + 1 != events.end()) follow(*(at + 1), at == events.begin() ? trace::kNone : *(at - 1));
    events.erase(at);
  }

  void put_in(uint32_t event, uint32_t lane) {
    std::vector<uint32_t>& events = lanes_[lane];
    const int64_t launched = trace::launched_ns(rank_, event);
    const auto at = std::ranges::find_if(events, [&](uint32_t e) { return trace::launched_ns(rank_, e) > launched; });
    follow(event, at == events.begin() ? trace::kNone : *(at - 1));
    if (at != events.end()) follow(*at, event);
    events.insert(at, event);
  }

  // In its stream: what comes before is another, or nothing. What the device takes between two stays.
  void follow(uint32_t event, uint32_t before) {
    const auto edge = behind_.find(event);
    if (before == trace::kNone) {
      if (edge != behind_.end()) graph_.edges[edge->second].lag_ns = kDropped;
    } else if (edge != behind_.end()) {
      Edge& order = graph_.edges[edge->second];
      order.from = nodes_[before].last;
      order.lag_ns = std::max<int64_t>(order.lag_ns, 0);
    } else {
      behind_[event] = static_cast<uint32_t>(graph_.edges.size());
      graph_.add({.from = nodes_[before].last, .to = nodes_[event].first});
    }
  }

  const RankTrace& rank_;
  const std::vector<EventNodes>& nodes_;
  Graph& graph_;
  std::map<uint32_t, std::vector<uint32_t>> lanes_;  // events of each stream, in its order
  std::map<uint32_t, uint32_t> behind_, launch_;     // by event: the edge from the one before, and from its call
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
    Streams streams(trace[r], r, replayed);
    all.changed += change.stream ? streams.move(named, *change.stream) : streams.fuse(named);
  }
  return all;
}

}  // namespace planner::replay
