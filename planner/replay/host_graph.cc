#include "planner/replay/host_graph.h"

#include <algorithm>
#include <span>
#include <vector>

namespace planner::replay {
namespace {

constexpr int64_t kOwnCallNs = 10000;  // what a call takes by itself at most, that waits for the device

uint32_t number_of(const HostItem& item) { return item.event ? static_cast<uint32_t>(*item.event) : trace::kNone; }

// Of the edge that is added next.
void note_time(RankParts& p, size_t thread, const HostItem& from, const HostItem& to) {
  p.made.host.push_back({.rank = p.number,
                         .lane = p.host.lanes[thread],
                         .begin_ns = from.end_ns,
                         .end_ns = to.begin_ns,
                         .edge = static_cast<uint32_t>(p.graph.edges.size()),
                         .before = number_of(from),
                         .after = number_of(to)});
}

void hand_over(RankParts& p) {
  std::vector<bool> begun(p.host.threads.size());
  const auto add = [&](const HostItem& from, const HostItem& to, size_t thread) {
    const bool begins = from.end_ns > to.begin_ns;  // the other begins while this one still runs
    if (!begins) note_time(p, thread, from, to);
    p.graph.add({.from = begins ? from.first : from.last,
                 .to = to.first,
                 .lag_ns = to.begin_ns - (begins ? from.begin_ns : from.end_ns),
                 .cause = Cause::hand_over,
                 .from_begin = begins});
  };
  for (const HandOver& over : p.host.hand_overs) {
    const std::vector<HostItem>&primary = p.host.threads[p.host.primary], &other = p.host.threads[over.lane];
    add(primary[over.from], other[over.first], over.lane);
    if (over.to < primary.size()) add(other[over.last], primary[over.to], p.host.primary);
    if (over.first == 0) begun[over.lane] = true;
  }
  for (size_t t = 0; t < p.host.threads.size(); ++t)
    if (t != p.host.primary && !begun[t])
      p.begin_with_rank(p.host.threads[t].front().first, p.host.threads[t].front().begin_ns);
}

// The call returns when all of these are done, as long after the last of them as it did, if it waited at all.
void wait(RankParts& p, const HostItem& call, std::span<const size_t> events) {
  int64_t latest = kNever;
  for (const size_t event : events) latest = std::max(latest, p.rank.events[event].end_ns());
  const bool waited = latest > call.begin_ns;
  for (const size_t event : events)
    p.graph.add({.from = p.nodes[event].last,
                 .to = call.last,
                 .lag_ns = waited ? call.end_ns - latest : 0,
                 .cause = Cause::sync});
  if (!waited) p.graph.nodes[call.first].duration_ns = call.duration_ns();
}

}  // namespace

void add_host_nodes(RankParts& p) {
  for (std::vector<HostItem>& items : p.host.threads)
    for (HostItem& item : items) {
      const bool splits = p.waits_for_device(item);
      item.first = item.last =
          p.graph.add({.duration_ns = splits ? std::min(item.duration_ns(), kOwnCallNs) : item.duration_ns()});
      if (splits) item.last = p.graph.add(Node{});
      if (splits) p.graph.add({.from = item.first, .to = item.last});
      if (!item.event) continue;
      p.nodes[*item.event] = {item.first, item.last};
      p.made.host.push_back({.rank = p.number,
                             .lane = p.rank.events[*item.event].lane,
                             .begin_ns = item.begin_ns,
                             .end_ns = item.end_ns,
                             .node = item.first,
                             .after = number_of(item)});
    }
  if (p.host.threads.empty()) return;
  HostItem& begin = p.host.threads[p.host.primary].front();
  p.graph.nodes[begin.first].earliest_ns = begin.begin_ns;
}

void chain_host(RankParts& p) {
  for (size_t t = 0; t < p.host.threads.size(); ++t)
    for (size_t i = 1; i < p.host.threads[t].size(); ++i) {
      const HostItem &from = p.host.threads[t][i - 1], &to = p.host.threads[t][i];
      if (to.lag_ns > 0) note_time(p, t, from, to);
      p.graph.add({.from = from.last, .to = to.first, .lag_ns = to.lag_ns});
    }
  hand_over(p);
}

void synchronise_host(RankParts& p) {
  for (const HostItem* call : p.launched.calls())
    if (p.waits_for_device(*call)) wait(p, *call, p.waits.of(*call));
}

}  // namespace planner::replay
