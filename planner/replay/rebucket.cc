#include "planner/replay/rebucket.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include "planner/replay/host_times.h"

namespace planner::replay {
namespace {

/// The numbers of a step's reductions that have a gradient.
std::vector<size_t> used_by(const trace::GradientStep& step) {
  std::vector<size_t> used;
  for (const trace::Gradient& gradient : step.gradients)
    if (gradient.bucket < step.reductions.size() && (used.empty() || used.back() != gradient.bucket))
      used.push_back(gradient.bucket);
  return used;
}

/// The edges of a graph at some of its nodes.
struct EdgesOf {
  EdgesOf(const Graph& graph, std::span<const uint32_t> nodes) {
    std::vector<bool> is_one(graph.nodes.size());
    for (const uint32_t node : nodes) is_one[node] = true;
    for (uint32_t e = 0; e < graph.edges.size(); ++e) {
      if (is_one[graph.edges[e].to]) in[graph.edges[e].to].push_back(e);
      if (is_one[graph.edges[e].from]) out[graph.edges[e].from].push_back(e);
    }
  }
  std::unordered_map<uint32_t, std::vector<uint32_t>> in, out;
};

/// The reductions of gradients on one rank while others take their place.
class RankReductions {
 public:
  /// All outlive it. `buckets`: of each gradient of a step, the new one.
  RankReductions(const trace::RankTrace& rank, size_t number, const std::vector<size_t>& buckets, Replayed& replayed)
      : rank_(rank),
        number_(number),
        buckets_(buckets),
        replayed_(replayed),
        graph_(replayed.graph),
        costs_(rank, number, replayed),
        removed_(rank.events.size()) {
    for (uint32_t i = 0; i < rank.events.size(); ++i) {
      const trace::Event& event = rank.events[i];
      if (!trace::is_on_device(event.kind) || replayed.events[number][i].first == Run::kNone) continue;
      const std::pair launch{trace::launched_ns(rank, i), i};
      streams_[event.lane].push_back(launch);
      if (event.role != trace::Role::communication) computing_.push_back(launch);
    }
    for (auto& [lane, launches] : streams_) std::ranges::sort(launches);
    std::ranges::sort(computing_);
  }

  /// The reductions of a step that have a gradient are to be taken out. Returns their nodes.
  std::vector<uint32_t> mark(const trace::GradientStep& step) {
    std::vector<uint32_t> nodes;
    for (const size_t number : used_by(step)) {
      const uint32_t event = step.reductions[number].event;
      removed_[event] = true;
      nodes.push_back(replayed_.events[number_][event].first);
      nodes.push_back(replayed_.events[number_][event].last);
    }
    return nodes;
  }

  /// Removes them. REQUIRES: all steps are marked. `edges`: at their nodes; outlives this. The stream skips a removed
  /// event at once, as it then waits only for the event before it.
  void take_out(const trace::GradientStep& step, const EdgesOf& edges) {
    const std::vector<size_t> used = used_by(step);
    for (const trace::Gradient& gradient : step.gradients)  // the last one of each launched it
      if (const bool is_last = &gradient == &step.gradients.back() || (&gradient + 1)->bucket != gradient.bucket;
          is_last && gradient.bucket < step.reductions.size())
        costs_.take_out(gradient, step.reductions[gradient.bucket]);
    for (const size_t number : used) {
      const EventNodes& nodes = replayed_.events[number_][step.reductions[number].event];
      graph_.nodes[nodes.first].duration_ns = 0;
      if (const auto in = edges.in.find(nodes.first); in != edges.in.end())
        for (const uint32_t e : in->second) {
          graph_.edges[e].lag_ns = std::min<int64_t>(graph_.edges[e].lag_ns, 0);
          graph_.edges[e].delays = graph_.edges[e].cause == Cause::order;
        }
      if (const auto out = edges.out.find(nodes.last); out != edges.out.end())
        for (const uint32_t e : out->second) {
          ReplayEdge& edge = graph_.edges[e];
          if (edge.cause != Cause::order || edge.to == replayed_.ends[number_]) continue;
          gaps_[edge.to] = std::max<int64_t>(edge.lag_ns, 0);
          edge.lag_ns = std::min<int64_t>(edge.lag_ns, 0);
        }
    }
  }

  /// Returns where the partitions of a bucket arrive, whose last gradient is given. REQUIRES: all are taken out.
  std::vector<uint32_t> arrivals(const trace::Gradient& last, int partitions, int64_t wait_ns) {
    const LaunchCosts::LaunchPlace launch = costs_.put_in(last, partitions);
    const auto behind = std::ranges::upper_bound(computing_, last.launched_ns, {}, &Launches::value_type::first);
    std::vector<uint32_t> arrivals;
    for (int p = 0; p < partitions; ++p) {
      const uint32_t arrival = graph_.add(ReplayNode{});
      const int64_t lag =
          launch.behind_begin_ns + p * costs_.each_ns() + replayed_.typical_launch_ns[number_] + wait_ns;
      graph_.add({.from = launch.node, .to = arrival, .lag_ns = lag, .cause = Cause::launch, .from_begin = true});
      if (behind != computing_.begin())
        graph_.add({.from = replayed_.events[number_][(behind - 1)->second].last,
                    .to = arrival,
                    .lag_ns = wait_ns,
                    .cause = Cause::event});
      arrivals.push_back(arrival);
    }
    return arrivals;
  }

  /// Puts the new reductions of a step into the stream of those that they replace, and records the replacement.
  void order(const trace::GradientStep& step, const Decisions& decisions, std::span<PutIn> made) {
    const uint32_t lane = rank_.events[step.reductions[used_by(step).front()].event].lane;
    Launches kept = streams_.at(lane);
    std::erase_if(kept, [&](const auto& launch) { return removed_[launch.second]; });
    const std::vector<EventNodes>& nodes = replayed_.events[number_];
    for (size_t i = 0; i < made.size(); ++i) {
      made[i].lane = lane;
      const int64_t launched = launched_ns(step, decisions, made[i]);
      const auto next = std::ranges::upper_bound(kept, launched, {}, &Launches::value_type::first);
      if (next != kept.begin()) graph_.add({.from = nodes[(next - 1)->second].last, .to = made[i].arrival});
      if (last_ != Run::kNone) graph_.add({.from = last_, .to = made[i].arrival});
      last_ = made[i].end;
      const bool is_next =
          next != kept.end() && (i + 1 == made.size() || next->first < launched_ns(step, decisions, made[i + 1]));
      if (!is_next) continue;
      const uint32_t behind = nodes[next->second].first;
      const auto gap = gaps_.find(behind);
      graph_.add({.from = made[i].end, .to = behind, .lag_ns = gap == gaps_.end() ? 0 : gap->second});
    }
  }

  /// Lets wait for it what waited for that. `places`: of the nodes that were there before.
  void redirect(const trace::GradientStep& step, const Decisions& decisions, std::span<const PutIn> made,
                const EdgesOf& edges, std::span<const EventPlace> places) {
    std::vector<size_t> latest(step.reductions.size(), 0);  // one behind the new bucket
    for (size_t g = 0; g < step.gradients.size(); ++g)
      if (const size_t old = step.gradients[g].bucket; old < latest.size())
        latest[old] = std::max(latest[old], buckets_[g] + 1);
    for (const size_t number : used_by(step)) {
      const auto out = edges.out.find(replayed_.events[number_][step.reductions[number].event].last);
      if (out == edges.out.end()) continue;
      for (const uint32_t e : out->second) {
        ReplayEdge& edge = graph_.edges[e];
        const bool in_stream = edge.cause == Cause::order && edge.to != replayed_.ends[number_];
        if (in_stream || edge.cause == Cause::ranks) continue;
        const int64_t moment = moment_of(places[edge.to]);
        const auto fits = [&](const PutIn& one) {
          return one.bucket < latest[number] && launched_ns(step, decisions, one) <= moment;
        };
        const auto last = std::find_if(made.rbegin(), made.rend(), fits);
        if (last == made.rend()) edge.delays = false;
        else edge.from = last->end;
      }
    }
  }

  const std::vector<bool>& removed() const { return removed_; }

 private:
  using Launches = std::vector<std::pair<int64_t, uint32_t>>;  // when, and the event; by time

  // Of a call when it was made, of what it launched as well; of all else nothing is launched behind it.
  int64_t moment_of(const EventPlace& place) const {
    return place.is_known() ? trace::launched_ns(rank_, place.event) : std::numeric_limits<int64_t>::max();
  }
  int64_t launched_ns(const trace::GradientStep& step, const Decisions& decisions, const PutIn& made) const {
    return step.gradients[decisions.buckets[made.bucket].gradients.back()].launched_ns;
  }

  const trace::RankTrace& rank_;
  const size_t number_;
  const std::vector<size_t>& buckets_;
  Replayed& replayed_;
  Graph& graph_;
  LaunchCosts costs_;
  std::vector<bool> removed_;                   // by event
  std::map<uint32_t, Launches> streams_;        // by lane: launches on the device
  Launches computing_;                          // of all streams, without what communicates
  std::unordered_map<uint32_t, int64_t> gaps_;  // by node: after its removed predecessor
  uint32_t last_ = Run::kNone;                  // the end of the last one that was put in
};

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

// Removed reductions no longer make ranks wait for each other.
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
