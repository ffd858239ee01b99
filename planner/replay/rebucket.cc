#include "planner/replay/rebucket.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "planner/replay/host_times.h"
#include "planner/replay/rank_reductions.h"

namespace planner::replay {
namespace {

int64_t in_ns(double seconds) { return std::llround(seconds * 1e9); }

/// Puts the reductions of a step in on all ranks. Returns them by rank.
std::vector<std::vector<PutIn>> put_in(const Decisions& decisions, size_t step, const GradientSteps& gradients,
                                       std::vector<RankReductions>& ranks, Graph& graph) {
  std::vector<std::vector<PutIn>> made(ranks.size());
  for (size_t b = 0; b < decisions.buckets.size(); ++b) {
    const DecidedBucket& bucket = decisions.buckets[b];
    const double bytes = bucket.bytes / bucket.partitions;
    const int64_t duration = in_ns(decisions.seconds_per_partition + decisions.seconds_per_byte * bytes);
    std::vector<uint32_t> joins;
    for (int p = 0; p < bucket.partitions; ++p) joins.push_back(graph.add(ReplayNode{}));
    for (size_t r = 0; r < ranks.size(); ++r) {
      if (step >= gradients[r].size()) continue;
      const trace::Gradient& last = gradients[r][step].gradients[bucket.gradients.back()];
      const std::vector<uint32_t> arrivals = ranks[r].arrivals(last, bucket.partitions, in_ns(bucket.wait_seconds));
      for (size_t p = 0; p < joins.size(); ++p) {
        const uint32_t end = graph.add(ReplayNode{});
        graph.add({.from = arrivals[p], .to = joins[p], .cause = Cause::ranks});
        graph.add({.from = joins[p], .to = end, .lag_ns = duration, .cause = Cause::ranks});
        made[r].push_back({.rank = r, .step = step, .bucket = b, .arrival = arrivals[p], .join = joins[p], .end = end});
      }
    }
  }
  return made;
}

/// Whether all ranks that have the step have these gradients in it.
bool fits(const GradientSteps& gradients, size_t step, size_t count) {
  return std::ranges::all_of(gradients, [&](const std::vector<trace::GradientStep>& steps) {
    return step >= steps.size() || (steps[step].gradients.size() == count && !steps[step].reductions.empty());
  });
}

/// The bucket of each gradient.
std::vector<size_t> buckets_of(const Decisions& decisions) {
  std::vector<size_t> buckets(decisions.gradients, decisions.buckets.size());
  for (size_t b = 0; b < decisions.buckets.size(); ++b)
    for (const size_t gradient : decisions.buckets[b].gradients) buckets[gradient] = b;
  return buckets;
}

/// The steps that are changed.
std::vector<size_t> steps_of(const GradientSteps& gradients, size_t count, Rebucketed& came) {
  size_t most = 0;
  for (const auto& rank : gradients) most = std::max(most, rank.size());
  std::vector<size_t> steps;
  for (size_t s = 0; s < most; ++s) {
    const bool has =
        std::ranges::any_of(gradients, [&](const auto& rank) { return s < rank.size() && !rank[s].gradients.empty(); });
    if (fits(gradients, s, count)) steps.push_back(s);
    else came.others += has;
  }
  came.steps = steps.size();
  return steps;
}

// No rank waits for another in what is taken out.
void detach_transfers(std::span<const uint32_t> nodes, Replayed& replayed) {
  std::vector<bool> removed(replayed.graph.nodes.size());
  for (const uint32_t node : nodes) removed[node] = true;
  for (const Transfer& transfer : replayed.transfers) {
    if (!removed[transfer.arrival]) continue;
    replayed.graph.edges[transfer.arrives].delays = false;
    replayed.graph.edges[transfer.edge].from = transfer.arrival;
    replayed.graph.edges[transfer.edge].lag_ns = 0;
  }
}

}  // namespace

Rebucketed apply(const Decisions& decisions, const trace::Trace& trace, const GradientSteps& gradients,
                 Replayed& replayed) {
  Rebucketed came;
  const std::vector<size_t> steps = steps_of(gradients, decisions.gradients, came);
  const std::vector<size_t> buckets = buckets_of(decisions);
  const std::vector<EventPlace> places = places_of(replayed);
  std::vector<RankReductions> ranks;
  std::vector<uint32_t> nodes;
  const auto for_each_step = [&](const auto& act) {
    for (size_t r = 0; r < trace.size(); ++r)
      for (const size_t s : steps)
        if (s < gradients[r].size()) act(r, gradients[r][s]);
  };
  for (size_t r = 0; r < trace.size(); ++r) ranks.emplace_back(trace[r], r, buckets, replayed);
  for_each_step([&](size_t r, const trace::GradientStep& step) {
    std::ranges::copy(ranks[r].mark(step), std::back_inserter(nodes));
  });
  const EdgesOf edges(replayed.graph, nodes);
  detach_transfers(nodes, replayed);
  for_each_step([&](size_t r, const trace::GradientStep& step) { ranks[r].take_out(step, edges); });
  for (const size_t s : steps) {
    std::vector<std::vector<PutIn>> made = put_in(decisions, s, gradients, ranks, replayed.graph);
    for (size_t r = 0; r < trace.size(); ++r) {
      if (s >= gradients[r].size()) continue;
      ranks[r].order(gradients[r][s], decisions, made[r]);
      ranks[r].redirect(gradients[r][s], decisions, made[r], edges, places);
      came.put_in.insert(came.put_in.end(), made[r].begin(), made[r].end());
    }
  }
  for (const RankReductions& rank : ranks) came.removed.push_back(rank.removed());
  return came;
}

}  // namespace planner::replay
