#include "planner/tuning/traced.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "planner/trace/gradients.h"
#include "planner/trace/inputs.h"
#include "planner/trace/steps.h"

namespace planner::tuning {
namespace {

using trace::Event;
using trace::RankTrace;

/// An all-reduce of a step.
struct TracedReduction {
  int64_t end_ns = 0, transfer_ns = 0, bytes = 0;
};

/// A step of a rank: when its gradients were there, and the all-reduces that it launched, all by time.
struct TracedStep {
  int64_t begin_ns = 0, end_ns = 0;  // on the device
  std::vector<int64_t> ready_ns;
  std::vector<size_t> buckets;   // of the gradients, by number; those behind the last reduction have none
  std::vector<double> elements;  // of the gradients; 0: unknown
  std::vector<TracedReduction> reductions;
};

// Elements of the first tensor that an operator reads; 0: its shape is unknown.
double elements_of(const RankTrace& rank, const Event& event) {
  const std::vector<trace::OperatorInput> inputs = trace::inputs_of(rank, event);
  const bool is_said = !inputs.empty() && inputs.front().tensors.size() == 1 && !inputs.front().tensors.front().empty();
  return is_said ? trace::elements_of(inputs.front().tensors.front()) : 0;
}

// Of what computes, by its launch, the end of all that was launched up to it.
std::map<int64_t, int64_t> ends_by_launch(const RankTrace& rank, const trace::Step& step) {
  std::map<int64_t, int64_t> ends;
  for (const size_t i : step.events) {
    if (rank.events[i].role == trace::Role::communication) continue;
    int64_t& end = ends[trace::launched_ns(rank, i)];
    end = std::max(end, rank.events[i].end_ns());
  }
  int64_t latest = std::numeric_limits<int64_t>::min();
  for (auto& [launch, end] : ends) end = latest = std::max(latest, end);
  return ends;
}

TracedStep step_of(const RankTrace& rank, const std::vector<trace::Step>& marked, size_t at,
                   const trace::GradientStep& found, const trace::Matched& matched) {
  TracedStep step;
  step.begin_ns = trace::device_period_of(marked, at).begin_ns;
  step.end_ns = trace::device_period_of(marked, at).end_ns;
  const std::map<int64_t, int64_t> ends = ends_by_launch(rank, marked[at]);
  for (const trace::Gradient& gradient : found.gradients) {
    const auto behind = ends.upper_bound(gradient.launched_ns);
    step.buckets.push_back(gradient.bucket);
    step.elements.push_back(elements_of(rank, rank.events[gradient.event]));
    step.ready_ns.push_back(behind == ends.begin() ? step.begin_ns : std::prev(behind)->second);
  }
  for (const trace::GradientReduction& each : found.reductions) {
    const trace::Collective& collective = matched.collectives[each.collective];
    step.reductions.push_back(
        {.end_ns = rank.events[each.event].end_ns(), .transfer_ns = collective.transfer_ns, .bytes = collective.bytes});
  }
  return step;
}

/// Means over the steps that have as many gradients as the first one.
class PassMean {
 public:
  void add(const TracedStep& step) {
    if (steps_ > 0 && step.ready_ns.size() != seconds_.size()) return;
    seconds_.resize(step.ready_ns.size());
    ++steps_;
    int64_t before = step.begin_ns, reduced = step.begin_ns;
    for (size_t i = 0; i < seconds_.size(); ++i) {
      seconds_[i] += static_cast<double>(step.ready_ns[i] - before) * 1e-9;
      before = step.ready_ns[i];
    }
    for (const TracedReduction& each : step.reductions) reduced = std::max(reduced, each.end_ns);
    after_ += static_cast<double>(std::max<int64_t>(0, step.end_ns - std::max(before, reduced))) * 1e-9;
    step_ += static_cast<double>(step.end_ns - step.begin_ns) * 1e-9;
  }
  void write(Subject& subject) const {
    const double steps = static_cast<double>(steps_);
    for (size_t i = 0; i < seconds_.size(); ++i)
      subject.pass.pieces.push_back({.name = fmt::format("gradient {}", i + 1), .seconds = seconds_[i] / steps});
    subject.pass.after_seconds = after_ / steps;
    subject.step_seconds = step_ / steps;
  }

 private:
  std::vector<double> seconds_;
  double after_ = 0, step_ = 0;
  int64_t steps_ = 0;
};

SyncLine line_through(const std::map<int64_t, int64_t>& shortest) {
  double n = 0, s = 0, t = 0, ss = 0, st = 0;
  for (const auto& [bytes, ns] : shortest) {
    const double x = static_cast<double>(bytes), y = static_cast<double>(ns) * 1e-9;
    n += 1, s += x, t += y, ss += x * x, st += x * y;
  }
  const double spread = n * ss - s * s;
  const double b = spread > 0 ? (n * st - s * t) / spread : 0, a = (t - b * s) / n;
  if (b <= 0 && spread > 0) return {.a = t / n, .b = 0};
  return a < 0 || spread <= 0 ? SyncLine{.a = 0, .b = st / ss} : SyncLine{.a = a, .b = b};
}

// Elements of two or four bytes, and what aligns them: else these are not the gradients of this bucket.
bool fills(double elements, const TracedReduction& reduction) {
  constexpr double kAligned = 0.01;
  const double width = static_cast<double>(reduction.bytes) / elements;
  return std::abs(width / 2 - 1) < kAligned || std::abs(width / 4 - 1) < kAligned;
}

/// Of each gradient its part of its bucket: by the elements of all in it, or all alike where one does not say them.
std::vector<double> parts_of(const TracedStep& step, bool& assumes) {
  const std::vector<size_t>& buckets = step.buckets;
  struct BucketSum {
    double gradients = 0, elements = 0;
    bool is_known = true;
  };
  std::map<size_t, BucketSum> sums;
  for (size_t i = 0; i < buckets.size(); ++i) {
    BucketSum& sum = sums[buckets[i]];
    sum.gradients += 1;
    sum.elements += step.elements[i];
    sum.is_known = sum.is_known && step.elements[i] > 0;
  }
  std::vector<double> parts;
  for (auto& [bucket, sum] : sums)
    if (bucket < step.reductions.size()) sum.is_known = sum.is_known && fills(sum.elements, step.reductions[bucket]);
  for (size_t i = 0; i < buckets.size(); ++i) {
    const BucketSum& sum = sums[buckets[i]];
    parts.push_back(sum.is_known ? step.elements[i] / sum.elements : 1 / sum.gradients);
    assumes = assumes || !sum.is_known;
  }
  return parts;
}

// Sizes and the measured strategy, by the buckets of a step.
void write_buckets(const TracedStep& step, Subject& subject) {
  const std::vector<size_t>& buckets = step.buckets;
  const std::vector<double> parts = parts_of(step, subject.assumes_sizes);
  FusionStrategy measured(buckets.size());
  for (size_t i = 0; i < buckets.size(); ++i) {
    measured.joins_gradient[i] = i > 0 && buckets[i] == buckets[i - 1];
    if (buckets[i] < step.reductions.size())
      subject.pass.pieces[i].gradient_bytes = parts[i] * static_cast<double>(step.reductions[buckets[i]].bytes);
  }
  measured.largest_partition_bytes = std::numeric_limits<double>::infinity();
  subject.measured = std::move(measured);
}

Tunable no(std::string why, std::string hint) { return {std::nullopt, std::move(why), std::move(hint)}; }

}  // namespace

Tunable traced_pass(const trace::Trace& trace, const trace::Matched& matched) {
  const trace::RankSteps marked = trace::steps_of(trace);
  const std::vector<std::vector<trace::GradientStep>> found = trace::gradients_of(trace, marked, matched);
  std::vector<TracedStep> steps;
  for (size_t r = 0; r < trace.size(); ++r)
    for (size_t i = marked[r].size() > 1 ? 1 : 0; i < marked[r].size(); ++i)  // the first one has no step before it
      if (!found[r][i].gradients.empty()) steps.push_back(step_of(trace[r], marked[r], i, found[r][i], matched));
  const auto is_unsized = [](const trace::Collective& each) { return each.bytes <= 0; };
  if (steps.empty() && !matched.collectives.empty() && std::ranges::all_of(matched.collectives, is_unsized))
    return no("no collective of the traces says how large it is, as in files of BytePS and dPRO",
              "'trainplan replay FILES --advice' tries what needs no sizes");
  if (steps.empty())
    return no("no operator of the traces hands over a gradient",
              fmt::format("expected events named {}", trace::kGradient));
  if (steps.front().reductions.empty())
    return no("the traces have no all-reduce whose size they tell", "newer profilers record 'In msg nelems'");
  Subject subject;
  PassMean mean;
  std::map<int64_t, int64_t> shortest;  // transfers in ns, by bytes
  for (const TracedStep& step : steps) {
    mean.add(step);
    for (const TracedReduction& each : step.reductions) {
      int64_t& ns = shortest.try_emplace(each.bytes, each.transfer_ns).first->second;
      ns = std::min(ns, each.transfer_ns);
    }
  }
  mean.write(subject);
  write_buckets(steps.front(), subject);
  subject.ranks = std::max<int64_t>(trace.front().world_size.value_or(0), std::ssize(trace));
  subject.reduction = fmt::format("all-reduce of {} ranks", subject.ranks);
  subject.line = line_through(shortest);
  subject.sync = [line = *subject.line](double bytes, int partitions) { return line.seconds(bytes, partitions); };
  return {.subject = std::move(subject)};
}

}  // namespace planner::tuning
