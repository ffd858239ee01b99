#include "planner/replay/build.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "planner/replay/device_graph.h"
#include "planner/replay/host_graph.h"
#include "planner/replay/rank_join.h"

namespace planner::replay {
namespace {

using trace::Event;
using trace::RankTrace;

// About as much as there will be: a vector that doubles holds three times as much for a moment.
void make_room(RankParts& p) {
  const size_t calls = p.launched.calls().size(), device = p.launched.device().size();
  const auto more = [](auto& list, size_t count) {
    if (list.size() + count > list.capacity())
      list.reserve(std::max(list.size() + count, list.capacity() + list.capacity() / 4));
  };
  more(p.graph.nodes, calls + device);
  more(p.graph.edges, calls + 2 * device);
  more(p.made.host, 2 * calls);
}

// A node that nothing comes before.
uint32_t begin_of_all(RankParts& p) {
  int64_t begin = std::numeric_limits<int64_t>::max();
  for (const Event& event : p.rank.events) begin = std::min(begin, event.start_ns);
  if (p.host.threads.empty()) return p.graph.add({.duration_ns = 0, .earliest_ns = begin});
  const uint32_t node = p.graph.add(Node{});
  p.begin_with_rank(node, begin);
  return node;
}

void finish(RankParts& p) {
  const uint32_t end = p.graph.add(Node{});
  for (const std::vector<HostItem>& items : p.host.threads) p.graph.add({.from = items.back().last, .to = end});
  std::map<uint32_t, size_t> last;  // by stream
  for (const size_t i : p.launched.device()) last[p.rank.events[i].lane] = i;
  for (const auto& [stream, event] : last) p.graph.add({.from = p.nodes[event].last, .to = end});
  std::vector<StepNodes> steps;
  for (size_t i = 0; i < p.host.steps.size(); ++i) {
    const std::vector<HostItem>& primary = p.host.threads[p.host.primary];
    steps.push_back({primary[p.host.steps[i].begin].first, primary[p.host.steps[i].end].last});
  }
  if (steps.empty()) steps.push_back({begin_of_all(p), end});
  p.made.events.push_back(std::move(p.nodes));
  p.made.steps.push_back(std::move(steps));
  p.made.ends.push_back(end);
}

void build_rank(RankParts& p, const std::vector<bool>& shared) {
  make_room(p);
  add_host_nodes(p);
  add_device_nodes(shared, p);
  chain_host(p);
  chain_device(p);
  synchronise_host(p);
  finish(p);
}

}  // namespace

std::vector<Place> places_of(const Replayed& replayed) {
  std::vector<Place> places(replayed.graph.nodes.size());
  for (uint32_t r = 0; r < replayed.events.size(); ++r)
    for (uint32_t i = 0; i < replayed.events[r].size(); ++i)
      for (const uint32_t node : {replayed.events[r][i].first, replayed.events[r][i].last})
        if (node != Run::kNone) places[node] = {r, i};
  return places;
}

int64_t& time_of(const HostTime& time, Graph& graph) {
  return time.node != Run::kNone ? graph.nodes[time.node].duration_ns : graph.edges[time.edge].lag_ns;
}

int64_t time_of(const HostTime& time, const Graph& graph) {
  return time.node != Run::kNone ? graph.nodes[time.node].duration_ns : graph.edges[time.edge].lag_ns;
}

int64_t period_ns(const std::vector<StepNodes>& steps, size_t at, std::span<const Run> runs) {
  const int64_t begin = runs[steps[at].begin].begin_ns;
  return (at + 1 < steps.size() ? runs[steps[at + 1].begin].begin_ns : runs[steps[at].end].end_ns) - begin;
}

Replayed build_graph(const trace::Trace& trace, const std::vector<std::vector<trace::Step>>& steps,
                     const trace::Matched& matched) {
  Replayed made;
  std::vector<std::vector<bool>> shared;
  for (const RankTrace& rank : trace) shared.emplace_back(rank.events.size());
  for (const trace::Collective& collective : matched.collectives)
    for (const trace::Collective::Part& part : collective.parts)
      if (collective.parts.size() > 1) shared[part.rank][part.event] = true;
  for (size_t r = 0; r < trace.size(); ++r) {
    RankParts parts(trace[r], steps[r], made);
    build_rank(parts, shared[r]);
  }
  for (size_t c = 0; c < matched.collectives.size(); ++c)
    if (matched.collectives[c].parts.size() > 1) join_ranks(trace, matched, c, made);
  return made;
}

}  // namespace planner::replay
