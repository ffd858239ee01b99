#include "planner/trace/rank_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace planner::trace {

std::optional<Trace> order_ranks(std::vector<RankTrace> ranks, dsl::Diagnostics& diagnostics) {
  std::map<int64_t, const RankTrace*> by_rank;
  const RankTrace* sized = nullptr;
  bool good = true;
  const auto refuse = [&](const std::string& message) { diagnostics.error({}, message), good = false; };
  for (const RankTrace& each : ranks) {
    if (each.world_size && sized && *sized->world_size != *each.world_size)
      refuse(fmt::format("'{}' is of a run of {} ranks, '{}' of one of {}", sized->file, *sized->world_size, each.file,
                         *each.world_size));
    if (each.world_size && !sized) sized = &each;
    if (!each.rank) continue;
    if (*each.rank < 0 || (each.world_size && *each.rank >= *each.world_size))
      refuse(fmt::format("'{}' is of rank {}, which a run of {} ranks does not have", each.file, *each.rank,
                         each.world_size.value_or(0)));
    const auto [other, is_new] = by_rank.try_emplace(*each.rank, &each);
    if (!is_new) refuse(fmt::format("'{}' and '{}' are both of rank {}", other->second->file, each.file, *each.rank));
  }
  if (!good) return std::nullopt;
  for (RankTrace& each : ranks) {
    if (each.rank) continue;
    int64_t free = 0;
    while (by_rank.contains(free)) ++free;
    by_rank[free] = &each;
    each.rank = free;
    diagnostics.warning({}, fmt::format("'{}' does not say its rank: it is taken as rank {}", each.file, free));
  }
  std::ranges::sort(ranks, {}, [](const RankTrace& each) { return *each.rank; });
  return ranks;
}

}  // namespace planner::trace
