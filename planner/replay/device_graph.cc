#include "planner/replay/device_graph.h"

#include <algorithm>
#include <unordered_map>

namespace planner::replay {
namespace {

using trace::Event;

/// What a device's event waited for last, other than its launch.
struct Ready {
  int64_t at_ns = kNever;
  size_t edge = 0;
};

int64_t typical_launch(const RankParts& p) {
  std::vector<int64_t> idle;
  std::unordered_map<uint32_t, int64_t> ends;
  for (const size_t i : p.launched.device()) {
    const Event& event = p.rank.events[i];
    const HostItem* call = p.launched.call_of(i);
    int64_t& end = ends.try_emplace(event.lane, kNever).first->second;
    const bool alone = p.waits.of(i).empty() && call && end <= call->begin_ns;
    if (alone) idle.push_back(event.start_ns - call->begin_ns);
    end = std::max(end, event.end_ns());
  }
  if (idle.empty()) return 0;
  std::ranges::nth_element(idle, idle.begin() + static_cast<std::ptrdiff_t>(idle.size() / 2));
  return std::max<int64_t>(0, idle[idle.size() / 2]);
}

void launch(RankParts& p, size_t i, const Ready& ready, int64_t typical) {
  const Event& event = p.rank.events[i];
  const HostItem* call = p.launched.call_of(i);
  if (!call) {
    if (ready.at_ns == kNever) p.begin_with_rank(p.nodes[i].first, event.start_ns);
    else p.graph.edges[ready.edge].lag_ns = event.start_ns - ready.at_ns;
    return;
  }
  int64_t lag = event.start_ns - call->begin_ns;
  if (ready.at_ns != kNever && ready.at_ns > call->begin_ns + typical) {  // it was there and had to wait
    p.graph.edges[ready.edge].lag_ns = event.start_ns - ready.at_ns;
    lag = std::min(lag, typical);
  }
  p.graph.add({.from = call->first, .to = p.nodes[i].first, .lag_ns = lag, .cause = Cause::launch, .from_begin = true});
}

}  // namespace

void add_device_nodes(const std::vector<bool>& shared, RankParts& p) {
  for (const size_t i : p.launched.device()) {
    const uint32_t first = p.graph.add({.duration_ns = shared[i] ? 0 : p.rank.events[i].duration_ns});
    p.nodes[i] = {first, shared[i] ? p.graph.add(Node{}) : first};
  }
}

void chain_device(RankParts& p) {
  const int64_t typical = typical_launch(p);
  p.made.typical_launch_ns.push_back(typical);
  std::unordered_map<uint32_t, size_t> before;
  for (const size_t i : p.launched.device()) {
    const Event& event = p.rank.events[i];
    Ready ready;
    const auto wait = [&](size_t source, Cause cause) {
      const int64_t end = p.rank.events[source].end_ns();
      if (end >= ready.at_ns) ready = {end, p.graph.edges.size()};
      const int64_t overlap = std::min<int64_t>(0, event.start_ns - end);  // by what a profiler's times are off
      p.graph.add({.from = p.nodes[source].last, .to = p.nodes[i].first, .lag_ns = overlap, .cause = cause});
    };
    if (const auto previous = before.find(event.lane); previous != before.end()) wait(previous->second, Cause::order);
    for (const size_t source : p.waits.of(i)) wait(source, Cause::event);
    before[event.lane] = i;
    launch(p, i, ready, typical);
  }
}

}  // namespace planner::replay
