#include "planner/trace/launches.h"

#include <algorithm>
#include <utility>

namespace planner::trace {

// Sorted pairs: a table of hashes would take several times the memory of the events.
std::vector<uint32_t> launches_of(const RankTrace& rank) {
  std::vector<std::pair<int64_t, uint32_t>> calls;
  for (uint32_t i = 0; i < rank.events.size(); ++i)
    if (rank.events[i].kind == Kind::runtime && rank.events[i].correlation >= 0)
      calls.emplace_back(rank.events[i].correlation, i);
  if (!std::ranges::is_sorted(calls)) std::ranges::sort(calls);
  std::vector<uint32_t> launches(rank.events.size(), kNone);
  for (size_t i = 0; i < launches.size(); ++i) {
    const Event& event = rank.events[i];
    if (!is_on_device(event.kind) || event.correlation < 0) continue;
    const auto call = std::ranges::lower_bound(calls, std::pair<int64_t, uint32_t>(event.correlation, 0));
    if (call != calls.end() && call->first == event.correlation) launches[i] = call->second;
  }
  return launches;
}

int64_t launched_ns(const RankTrace& rank, size_t event) {
  const uint32_t call = rank.launched_by[event];
  return rank.events[call == kNone ? event : call].start_ns;
}

}  // namespace planner::trace
