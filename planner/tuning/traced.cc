#include "planner/tuning/traced.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/trace/busy.h"
#include "planner/trace/inputs.h"
#include "planner/trace/launches.h"

namespace planner::tuning {
namespace {

using trace::Event;
using trace::RankTrace;

constexpr std::string_view kGradient = "torch::autograd::AccumulateGrad";

/// An all-reduce of a step.
struct Reduction {
  int64_t launched_ns = 0, end_ns = 0, transfer_ns = 0, bytes = 0;
};

/// A step of a rank: when its gradients began and were there, and the all-reduces that it launched, all by time.
struct Step {
  int64_t begin_ns = 0, end_ns = 0;  // on the device
  std::vector<int64_t> begins_ns, ready_ns;
  std::vector<double> elements;  // of the gradients; 0: not said
  std::vector<Reduction> reductions;
};

// Elements of the tensor that an operator takes first; 0: its shape is not said.
double elements_of(const RankTrace& rank, const Event& event) {
  const trace::Detail* detail = rank.detail(event);
  if (!detail || detail->shapes == trace::kNone) return 0;
  const std::vector<trace::OperatorInput> inputs = trace::inputs_of(rank.names[detail->shapes], "");
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

/// All-reduces of a rank by their event, those whose size is known.
using Known = std::map<size_t, Reduction>;

std::vector<Known> known_reductions(const trace::Trace& trace, const trace::Matched& matched) {
  std::vector<Known> known(trace.size());
  for (const trace::Collective& each : matched.collectives) {
    if (each.kind != trace::CollectiveKind::all_reduce || each.bytes <= 0) continue;
    for (const trace::Collective::Part& part : each.parts)
      known[part.rank][part.event] = {.launched_ns = trace::launched_ns(trace[part.rank], part.event),
                                      .end_ns = trace[part.rank].events[part.event].end_ns(),
                                      .transfer_ns = each.transfer_ns,
                                      .bytes = each.bytes};
  }
  return known;
}

Step step_of(const RankTrace& rank, const trace::Step& marked, const Known& known) {
  Step step;
  step.begin_ns = marked.device.begin_ns;
  step.end_ns = marked.device.end_ns;
  const std::map<int64_t, int64_t> ends = ends_by_launch(rank, marked);
  for (const Event& event : rank.events) {
    const bool lies_in =
        !marked.is_marked() || (event.start_ns >= marked.host.begin_ns && event.start_ns < marked.host.end_ns);
    if (event.kind != trace::Kind::op || !lies_in || rank.name(event) != kGradient) continue;
    const auto behind = ends.upper_bound(event.end_ns());
    step.begins_ns.push_back(event.start_ns);
    step.elements.push_back(elements_of(rank, event));
    step.ready_ns.push_back(behind == ends.begin() ? step.begin_ns : std::prev(behind)->second);
  }
  for (const size_t i : marked.events)
    if (const auto found = known.find(i); found != known.end()) step.reductions.push_back(found->second);
  std::ranges::stable_sort(step.reductions, {}, &Reduction::launched_ns);
  return step;
}

/// The bucket of each gradient, by number; those behind the last reduction have none.
std::vector<size_t> buckets_of(const Step& step) {
  std::vector<size_t> buckets;
  for (const int64_t begin : step.begins_ns)
    buckets.push_back(static_cast<size_t>(
        std::ranges::lower_bound(step.reductions, begin, {}, &Reduction::launched_ns) - step.reductions.begin()));
  return buckets;
}

/// Means over the steps that have as many gradients as the first one.
class Mean {
 public:
  void add(const Step& step) {
    if (steps_ > 0 && step.ready_ns.size() != seconds_.size()) return;
    seconds_.resize(step.ready_ns.size());
    ++steps_;
    int64_t before = step.begin_ns, reduced = step.begin_ns;
    for (size_t i = 0; i < seconds_.size(); ++i) {
      seconds_[i] += static_cast<double>(step.ready_ns[i] - before) * 1e-9;
      before = step.ready_ns[i];
    }
    for (const Reduction& each : step.reductions) reduced = std::max(reduced, each.end_ns);
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

/// a and b of t = a + b s, none below zero.
struct Line {
  double a = 0, b = 0;
};

Line line_through(const std::map<int64_t, int64_t>& shortest) {
  double n = 0, s = 0, t = 0, ss = 0, st = 0;
  for (const auto& [bytes, ns] : shortest) {
    const double x = static_cast<double>(bytes), y = static_cast<double>(ns) * 1e-9;
    n += 1, s += x, t += y, ss += x * x, st += x * y;
  }
  const double spread = n * ss - s * s;
  const double b = spread > 0 ? (n * st - s * t) / spread : 0, a = (t - b * s) / n;
  if (b <= 0 && spread > 0) return {.a = t / n, .b = 0};
  return a < 0 || spread <= 0 ? Line{.a = 0, .b = st / ss} : Line{.a = a, .b = b};
}

// Elements of two or four bytes, and what aligns them: else these are not the gradients of this bucket.
bool fills(double elements, const Reduction& reduction) {
  constexpr double kAligned = 0.01;
  const double width = static_cast<double>(reduction.bytes) / elements;
  return std::abs(width / 2 - 1) < kAligned || std::abs(width / 4 - 1) < kAligned;
}

/// Of each gradient its part of its bucket: by the elements of all in it, or all alike where one does not say them.
std::vector<double> parts_of(const Step& step, const std::vector<size_t>& buckets, bool& assumes) {
  struct Sum {
    double gradients = 0, elements = 0;
    bool is_known = true;
  };
  std::map<size_t, Sum> sums;
  for (size_t i = 0; i < buckets.size(); ++i) {
    Sum& sum = sums[buckets[i]];
    sum.gradients += 1;
    sum.elements += step.elements[i];
    sum.is_known = sum.is_known && step.elements[i] > 0;
  }
  std::vector<double> parts;
  for (auto& [bucket, sum] : sums)
    if (bucket < step.reductions.size()) sum.is_known = sum.is_known && fills(sum.elements, step.reductions[bucket]);
  for (size_t i = 0; i < buckets.size(); ++i) {
    const Sum& sum = sums[buckets[i]];
    parts.push_back(sum.is_known ? step.elements[i] / sum.elements : 1 / sum.gradients);
    assumes = assumes || !sum.is_known;
  }
  return parts;
}

// Sizes and what was done, by the buckets of a step.
void write_buckets(const Step& step, Subject& subject) {
  const std::vector<size_t> buckets = buckets_of(step);
  const std::vector<double> parts = parts_of(step, buckets, subject.assumes_sizes);
  Strategy measured(buckets.size());
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
  const std::vector<Known> known = known_reductions(trace, matched);
  std::vector<Step> steps;
  for (size_t r = 0; r < trace.size(); ++r)
    for (const trace::Step& marked : trace::steps_of(trace[r]))
      if (Step step = step_of(trace[r], marked, known[r]); !step.begins_ns.empty()) steps.push_back(std::move(step));
  if (steps.empty())
    return no("no operator of the traces hands over a gradient", fmt::format("expected events named {}", kGradient));
  if (steps.front().reductions.empty())
    return no("the traces have no all-reduce whose size they tell", "newer profilers record 'In msg nelems'");
  Subject subject;
  Mean mean;
  std::map<int64_t, int64_t> shortest;  // transfers in ns, by bytes
  for (const Step& step : steps) {
    mean.add(step);
    for (const Reduction& each : step.reductions) {
      int64_t& ns = shortest.try_emplace(each.bytes, each.transfer_ns).first->second;
      ns = std::min(ns, each.transfer_ns);
    }
  }
  mean.write(subject);
  write_buckets(steps.front(), subject);
  subject.reduction =
      fmt::format("all-reduce of {} ranks", std::max<int64_t>(trace.front().world_size.value_or(0), std::ssize(trace)));
  subject.sync = [line = line_through(shortest)](double bytes, int partitions) {
    return partitions * line.a + bytes * line.b;
  };
  return {.subject = std::move(subject), .why_not = {}, .hint = {}};
}

}  // namespace planner::tuning
