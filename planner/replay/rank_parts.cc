#include "planner/replay/rank_parts.h"

namespace planner::replay {

RankParts::RankParts(const trace::RankTrace& of, const std::vector<trace::Step>& steps, Replayed& to)
    : rank(of),
      number(static_cast<uint32_t>(to.events.size())),
      made(to),
      graph(to.graph),
      host(host_of(of, steps)),
      launched(of, host),
      waits(of, launched),
      nodes(of.events.size()) {}

bool RankParts::waits_for_device(const HostItem& item) const {
  return item.role == CallRole::sync_device || item.role == CallRole::sync_stream || launched.awaited_copy(item);
}

void RankParts::begin_with_rank(uint32_t node, int64_t at) {
  if (host.threads.empty()) return void(graph.nodes[node].earliest_ns = at);
  const HostItem& begin = host.threads[host.primary].front();
  graph.add(
      {.from = begin.first, .to = node, .lag_ns = at - begin.begin_ns, .cause = Cause::start, .from_begin = true});
}

}  // namespace planner::replay
