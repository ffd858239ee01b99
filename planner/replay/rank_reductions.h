// The reductions of gradients on one rank while others take their place (rebucket.h).
#pragma once

#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "planner/replay/decisions.h"
#include "planner/replay/launch_costs.h"

namespace planner::replay {

/// The edges of a graph at some of its nodes.
struct EdgesOf {
  EdgesOf(const Graph& graph, std::span<const uint32_t> nodes);
  std::unordered_map<uint32_t, std::vector<uint32_t>> in, out;
};

class RankReductions {
 public:
  /// All outlive it. `buckets`: of each gradient of a step, the new one.
  RankReductions(const trace::RankTrace& rank, size_t number, const std::vector<size_t>& buckets, Replayed& replayed);

  /// The reductions of a step that have a gradient are to be taken out. Returns their nodes.
  std::vector<uint32_t> mark(const trace::GradientStep& step);
  /// Takes them out. REQUIRES: all steps are marked. `edges`: at their nodes; outlives this.
  void take_out(const trace::GradientStep& step, const EdgesOf& edges);
  /// Returns where the partitions of a bucket arrive, whose last gradient is given. REQUIRES: all are taken out.
  std::vector<uint32_t> arrivals(const trace::Gradient& last, int partitions, int64_t wait_ns);
  /// Puts what was made for a step into the stream of what it replaces, and says which that is.
  void order(const trace::GradientStep& step, const Decisions& decisions, std::span<PutIn> made);
  /// Lets wait for it what waited for that. `places`: of the nodes that were there before.
  void redirect(const trace::GradientStep& step, const Decisions& decisions, std::span<const PutIn> made,
                const EdgesOf& edges, std::span<const EventPlace> places);
  const std::vector<bool>& removed() const { return removed_; }

 private:
  using Launches = std::vector<std::pair<int64_t, uint32_t>>;  // when, and the event; by time

  int64_t moment_of(const EventPlace& place) const;
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
  std::map<uint32_t, Launches> streams_;        // by lane: what is on the device
  Launches computing_;                          // of all streams, without what communicates
  std::unordered_map<uint32_t, int64_t> gaps_;  // by node: behind what was before it, which is taken out
  uint32_t last_ = Run::kNone;                  // the end of the last one that was put in
};

}  // namespace planner::replay
