#include "planner/tuning/real_graph.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace planner::tuning {
namespace {

/// The steps of the devices, added up.
class Windows {
 public:
  explicit Windows(std::vector<replay::Run> runs) : runs_(std::move(runs)) {}

  void begin_step() { begin_ = std::numeric_limits<int64_t>::max(), end_ = std::numeric_limits<int64_t>::min(); }
  void add(const replay::EventNodes& nodes) {
    if (nodes.first == replay::Run::kNone) return;
    begin_ = std::min(begin_, runs_[nodes.first].begin_ns);
    end_ = std::max(end_, runs_[nodes.last].end_ns);
  }
  void end_step() { sum_ += static_cast<double>(end_ - begin_) * 1e-9, ++steps_; }
  double mean() const { return steps_ > 0 ? sum_ / static_cast<double>(steps_) : 0; }

 private:
  std::vector<replay::Run> runs_;
  int64_t begin_ = 0, end_ = 0, steps_ = 0;
  double sum_ = 0;
};

// Events of a step, but for the reductions that are replaced.
std::vector<size_t> kept_events(const trace::Step& step, const trace::GradientStep& gradients) {
  std::vector<size_t> kept = step.events;
  std::vector<bool> used(gradients.reductions.size() + 1);
  for (const trace::Gradient& gradient : gradients.gradients) used[gradient.bucket] = true;
  for (size_t i = 0; i < gradients.reductions.size(); ++i)
    if (used[i]) std::erase(kept, gradients.reductions[i].event);
  return kept;
}

}  // namespace

replay::Decisions decisions_of(const Subject& subject, const Replay& played) {
  replay::Decisions decisions{.gradients = subject.pass.pieces.size(),
                              .buckets = {},
                              .seconds_per_partition = subject.line->a,
                              .seconds_per_byte = subject.line->b};
  for (const Bucket& bucket : played.buckets) {
    replay::DecidedBucket made{.gradients = {},
                               .bytes = bucket.bytes,
                               .partitions = bucket.sync.partitions,
                               .wait_seconds = bucket.ready_seconds - played.piece_ends[bucket.last]};
    for (size_t i = bucket.first; i <= bucket.last; ++i)
      if (subject.pass.pieces[i].gradient_bytes > 0) made.gradients.push_back(i);
    decisions.buckets.push_back(std::move(made));
  }
  return decisions;
}

RealGraph::RealGraph(const trace::Trace& trace, const trace::Matched& matched) : trace_(trace) {
  for (const trace::RankTrace& rank : trace) steps_.push_back(trace::steps_of(rank));
  gradients_ = trace::gradients_of(trace, steps_, matched);
  replayed_ = replay::build_graph(trace, steps_, matched);
}

std::optional<double> RealGraph::step_seconds(const replay::Decisions& decisions) const {
  replay::Replayed changed = replayed_;
  const replay::Rebucketed came = replay::apply(decisions, trace_, gradients_, changed);
  std::optional<std::vector<replay::Run>> runs = replay::run(changed.graph);
  if (!runs) return std::nullopt;
  Windows windows(*std::move(runs));
  for (size_t r = 0; r < trace_.size(); ++r)
    for (size_t s = 0; s < steps_[r].size(); ++s) {
      if (s >= came.put_in[r].size() || came.put_in[r][s].last == replay::Run::kNone) continue;
      windows.begin_step();
      for (const size_t event : kept_events(steps_[r][s], gradients_[r][s])) windows.add(changed.events[r][event]);
      windows.add(came.put_in[r][s]);
      windows.end_step();
    }
  return windows.mean();
}

void replay_candidates(const RealGraph& graph, const Subject& subject, std::vector<Candidate>& candidates) {
  const Candidate* best = nullptr;
  for (Candidate& each : candidates) {
    each.replayed_seconds = graph.step_seconds(decisions_of(subject, each.played));
    if (each.replayed_seconds && (!best || *each.replayed_seconds < *best->replayed_seconds)) best = &each;
  }
  if (!best || best == &candidates.back()) return;
  Candidate chosen = *best;
  chosen.name = std::move(candidates.back().name);
  candidates.back() = std::move(chosen);
}

namespace {

// The same with each gradient of a bucket by itself.
replay::Decisions unfused(replay::Decisions decisions, size_t bucket, const Subject& subject) {
  std::vector<replay::DecidedBucket> own;
  for (const size_t gradient : decisions.buckets[bucket].gradients)
    own.push_back({.gradients = {gradient}, .bytes = subject.pass.pieces[gradient].gradient_bytes});
  const auto at = decisions.buckets.erase(decisions.buckets.begin() + static_cast<std::ptrdiff_t>(bucket));
  decisions.buckets.insert(at, own.begin(), own.end());
  return decisions;
}

replay::Decisions whole(replay::Decisions decisions, size_t bucket) {
  decisions.buckets[bucket].partitions = 1;
  return decisions;
}

}  // namespace

std::vector<Decision> decide(const RealGraph& graph, const replay::Decisions& decisions, const Subject& subject) {
  const std::optional<double> step = graph.step_seconds(decisions);
  std::vector<Decision> all;
  if (!step) return all;
  const auto add = [&](Decision::Pass pass, size_t bucket, const replay::Decisions& without) {
    if (const std::optional<double> other = graph.step_seconds(without))
      all.push_back({.pass = pass, .bucket = bucket, .gain_seconds = *other - *step});
  };
  for (size_t b = 0; b < decisions.buckets.size(); ++b) {
    if (decisions.buckets[b].gradients.size() > 1)
      add(Decision::Pass::tensor_fusion, b, unfused(decisions, b, subject));
    if (decisions.buckets[b].partitions > 1) add(Decision::Pass::tensor_partition, b, whole(decisions, b));
  }
  return all;
}

}  // namespace planner::tuning
