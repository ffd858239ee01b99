#include "planner/tuning/real_graph.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "planner/replay/build.h"

namespace planner::tuning {
namespace {

/// The steps of the devices: from the first begin to the last end of the work launched in each.
class StepWindows {
 public:
  explicit StepWindows(std::vector<replay::Run> runs = {}) : runs_(std::move(runs)) {}

  void add(size_t rank, size_t step, uint32_t first, uint32_t last) {
    if (first != replay::Run::kNone) add(rank, step, {runs_[first].begin_ns, runs_[last].end_ns});
  }
  void add(size_t rank, size_t step, trace::TimeInterval interval) {
    trace::TimeInterval& window = windows_.try_emplace({rank, step}, kNothing).first->second;
    window.begin_ns = std::min(window.begin_ns, interval.begin_ns);
    window.end_ns = std::max(window.end_ns, interval.end_ns);
  }
  bool has(size_t rank, size_t step) const { return windows_.contains({rank, step}); }
  /// From the end of a step to that of the next; of a rank with a single step its own time.
  double mean_seconds() const {
    double sum = 0, steps = 0;
    for (auto at = windows_.begin(); at != windows_.end(); ++at) {
      const bool is_first = at == windows_.begin() || std::prev(at)->first.first != at->first.first;
      const bool is_last = std::next(at) == windows_.end() || std::next(at)->first.first != at->first.first;
      if (is_first && !is_last) continue;
      const int64_t begin_ns = is_first ? at->second.begin_ns : std::prev(at)->second.end_ns;
      sum += static_cast<double>(at->second.end_ns - begin_ns) * 1e-9, ++steps;
    }
    return steps > 0 ? sum / steps : 0;
  }

 private:
  static constexpr trace::TimeInterval kNothing{std::numeric_limits<int64_t>::max(),
                                                std::numeric_limits<int64_t>::min()};

  std::vector<replay::Run> runs_;
  std::map<std::pair<size_t, size_t>, trace::TimeInterval> windows_;  // by rank and step
};

}  // namespace

replay::Decisions decisions_of(const Subject& subject, const Replay& played) {
  replay::Decisions decisions{.gradients = subject.pass.pieces.size(),
                              .seconds_per_partition = subject.line->a,
                              .seconds_per_byte = subject.line->b};
  for (const Bucket& bucket : played.buckets) {
    replay::DecidedBucket made{.bytes = bucket.bytes,
                               .partitions = bucket.sync.partitions,
                               .wait_seconds = std::max(0.0, bucket.ready_seconds - played.piece_ends[bucket.last])};
    for (size_t i = bucket.first; i <= bucket.last; ++i)
      if (subject.pass.pieces[i].gradient_bytes > 0) made.gradients.push_back(i);
    decisions.buckets.push_back(std::move(made));
  }
  return decisions;
}

RealGraph::RealGraph(const trace::Trace& trace, const trace::Matched& matched) : trace_(trace) {
  steps_ = trace::steps_of(trace);
  gradients_ = trace::gradients_of(trace, steps_, matched);
  replayed_ = replay::build_graph(trace, steps_, matched);
  work_ = replay::work_of(trace, steps_);
}

std::optional<double> RealGraph::step_seconds(const replay::PassEdits& passes,
                                              const replay::Decisions* decisions) const {
  replay::Replayed changed = replayed_;
  const replay::PassesCame reworked =
      passes.empty() ? replay::PassesCame() : replay::apply(passes, trace_, work_, changed);
  const replay::Rebucketed came =
      decisions ? replay::apply(*decisions, trace_, gradients_, changed) : replay::Rebucketed();
  std::optional<std::vector<replay::Run>> runs = replay::run(changed.graph);
  if (!runs) return std::nullopt;
  StepWindows windows(*std::move(runs));
  for (const replay::PutIn& each : came.put_in) windows.add(each.rank, each.step, each.arrival, each.end);
  for (const replay::RepeatRange& each : reworked.repeats) windows.add(each.rank, each.step, each.first, each.last);
  for (size_t r = 0; r < trace_.size(); ++r)
    for (size_t s = 0; s < steps_[r].size(); ++s) {
      if (decisions && !windows.has(r, s)) continue;  // its reductions stay, unlike those of the others
      for (const size_t i : steps_[r][s].events)
        if (came.removed.empty() || !came.removed[r][i])
          windows.add(r, s, changed.events[r][i].first, changed.events[r][i].last);
    }
  return windows.mean_seconds();
}

double RealGraph::measured_seconds() const {
  StepWindows windows;
  for (size_t r = 0; r < trace_.size(); ++r)
    for (size_t s = 0; s < steps_[r].size(); ++s)
      if (!steps_[r][s].events.empty()) windows.add(r, s, steps_[r][s].device);
  return windows.mean_seconds();
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

bool is_modelled(double measured_seconds, const std::optional<double>& replayed_seconds) {
  constexpr double kMostOff = 0.01;
  return replayed_seconds && std::abs(*replayed_seconds / measured_seconds - 1) <= kMostOff;
}
bool is_modelled(const Subject& subject, const std::vector<Candidate>& candidates) {
  return is_modelled(subject.step_seconds, candidates.front().replayed_seconds);
}

namespace {

// The same with each gradient of a bucket separate.
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

std::vector<Decision> decide(const RealGraph& graph, const replay::Decisions& decisions, const Subject& subject,
                             const replay::PassEdits& passes) {
  const std::optional<double> step = graph.step_seconds(passes, &decisions);
  std::vector<Decision> all;
  if (!step) return all;
  const auto add = [&](Decision::Pass pass, size_t bucket, const replay::Decisions& without) {
    if (const std::optional<double> other = graph.step_seconds(passes, &without))
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
