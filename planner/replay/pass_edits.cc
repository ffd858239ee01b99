#include "planner/replay/pass_edits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "planner/replay/kernel_work.h"
#include "planner/replay/rearrange.h"
#include "planner/replay/repeats.h"
#include "planner/trace/data_types.h"
#include "planner/trace/inputs.h"

namespace planner::replay {
namespace {

using trace::Event;
using trace::RankTrace;

std::vector<trace::OperatorInput> inputs_of(const RankTrace& rank, const PhaseWork& work) {
  if (!work.shaped) return {};
  const trace::Detail& detail = *rank.detail(*work.shaped);
  return trace::inputs_of(rank.names[detail.shapes], rank.names[detail.types]);
}

/// The tensors of an element-wise kernel: what it takes, and what it gives, which is as large as the largest.
struct Traffic {
  std::vector<double> in;
  double out = 0, all = 0;
  bool in_place = false;
};

Traffic traffic_of(const RankTrace& rank, const PhaseWork& work) {
  Traffic traffic;
  for (const trace::OperatorInput& input : inputs_of(rank, work))
    for (const trace::Shape& shape : input.tensors) {
      const double bytes = trace::elements_of(shape) * static_cast<double>(trace::bytes_of_type(input.type));
      if (shape.empty() || bytes <= 0) continue;
      traffic.in.push_back(bytes);
      traffic.out = std::max(traffic.out, bytes);
      traffic.all += bytes;
    }
  traffic.all += traffic.out;
  traffic.in_place = work.shaped && rank.name(*work.shaped).ends_with('_');
  return traffic;
}

/// One rank while its kernels change.
class RankPasses {
 public:
  RankPasses(const RankTrace& rank, size_t number, const RankWork& work, Replayed& replayed)
      : rank_(rank), number_(number), work_(work), replayed_(replayed), empty_ns_(std::numeric_limits<int64_t>::max()) {
    for (const Event& event : rank.events)
      if (event.kind == trace::Kind::kernel && event.role == trace::Role::compute && event.duration_ns > 0)
        empty_ns_ = std::min(empty_ns_, event.duration_ns);
  }

  size_t halve(double matrix_factor) {
    size_t halved = 0;
    each([&](const PhaseWork& work) {
      if (!takes_single(rank_, work)) return;
      const Work kind = replay::work_of(rank_.events[work.event], rank_.name(rank_.events[work.event]));
      int64_t& ns = duration(work);
      if (kind == Work::matrix || kind == Work::attention) ns = scaled(ns, matrix_factor);
      else ns = beyond_empty(ns, 0.5);
      ++halved;
    });
    return halved;
  }

  size_t fuse() {
    std::vector<uint32_t> groups(rank_.events.size());
    std::map<uint32_t, std::vector<const PhaseWork*>> lanes;  // streams
    for (size_t s = 0; s < work_.steps.size(); ++s)
      for (const PhaseWork& work : work_.steps[s].work) {
        if (!has_node(work)) continue;
        if (is_elementwise(rank_, work))
          groups[work.event] = static_cast<uint32_t>(s * 4 + static_cast<size_t>(work.phase) + 1);
        lanes[rank_.events[work.event].lane].push_back(&work);
      }
    for (auto& [lane, all] : lanes) {
      std::ranges::stable_sort(all, {}, [&](const PhaseWork* work) { return rank_.events[work->event].start_ns; });
      for (size_t i = 1; i < all.size(); ++i)
        if (groups[all[i]->event] != 0 && groups[all[i]->event] == groups[all[i - 1]->event])
          save_traffic(*all[i - 1], *all[i]);
    }
    return fuse_groups(rank_, number_, groups, replayed_);
  }

  void divide(int parts) {
    each([&](const PhaseWork& work) {
      const bool of_batch = work.phase == Phase::forward || (work.phase == Phase::backward && !work.of_gradient);
      if (of_batch) duration(work) = beyond_empty(duration(work), 1.0 / parts);
    });
  }

 private:
  template <class Act> void each(Act&& act) {
    for (const StepWork& step : work_.steps)
      for (const PhaseWork& work : step.work)
        if (has_node(work) && rank_.events[work.event].role == trace::Role::compute) act(work);
  }
  bool has_node(const PhaseWork& work) const { return replayed_.events[number_][work.event].first != Run::kNone; }
  int64_t& duration(const PhaseWork& work) {
    return replayed_.graph.nodes[replayed_.events[number_][work.event].first].duration_ns;
  }
  static int64_t scaled(int64_t ns, double factor) { return std::llround(static_cast<double>(ns) * factor); }
  int64_t beyond_empty(int64_t ns, double factor) const {
    return ns <= empty_ns_ ? ns : empty_ns_ + scaled(ns - empty_ns_, factor);
  }
  // The second kernel launches nothing of its own, and what goes from one to the other stays in registers.
  void save_traffic(const PhaseWork& first, const PhaseWork& second) {
    const Traffic from = traffic_of(rank_, first), to = traffic_of(rank_, second);
    const bool reads = from.out > 0 && std::ranges::find(to.in, from.out) != to.in.end();
    int64_t& behind = duration(second);
    const int64_t empty = std::min(behind, empty_ns_);
    behind -= empty + (reads ? scaled(behind - empty, from.out / to.all) : 0);
    if (reads && to.in_place) duration(first) = beyond_empty(duration(first), 1 - from.out / from.all);
  }

  const RankTrace& rank_;
  const size_t number_;
  const RankWork& work_;
  Replayed& replayed_;
  int64_t empty_ns_;
};

}  // namespace

TraceWork work_of(const trace::Trace& trace, const std::vector<std::vector<trace::Step>>& steps) {
  TraceWork work;
  for (size_t r = 0; r < trace.size(); ++r) work.push_back(work_of(trace[r], steps[r]));
  return work;
}

bool takes_single(const RankTrace& rank, const PhaseWork& work) {
  if (work.phase != Phase::forward && work.phase != Phase::backward) return false;
  if (work.of_gradient || rank.events[work.event].kind != trace::Kind::kernel) return false;
  for (const trace::OperatorInput& input : inputs_of(rank, work))
    if (const auto precision = trace::precision_of_type(input.type))
      return precision == hw_profiles::Precision::fp32 &&
             precision_of_kernel(rank.name(rank.events[work.event])) != hw_profiles::Precision::fp16;
  return false;
}

bool is_elementwise(const RankTrace& rank, const PhaseWork& work) {
  const Event& event = rank.events[work.event];
  return event.kind == trace::Kind::kernel && event.role == trace::Role::compute &&
         rank.name(event).find("elementwise") != std::string::npos;
}

PassesCame apply(const PassEdits& edits, const trace::Trace& trace, const TraceWork& work, Replayed& replayed) {
  PassesCame came;
  for (size_t r = 0; r < trace.size(); ++r) {
    RankPasses rank(trace[r], r, work[r], replayed);
    if (edits.matrix_factor) came.halved += rank.halve(*edits.matrix_factor);
    if (edits.fuses_operators) came.fused += rank.fuse();
    if (edits.parts > 1) rank.divide(edits.parts);
    if (edits.parts == 1 && edits.recomputed == 0) continue;
    const std::vector<Repeated> made = repeat(edits, trace[r], r, work[r], replayed);
    came.repeats.insert(came.repeats.end(), made.begin(), made.end());
  }
  for (const Repeated& each : came.repeats) came.repeated += each.last - each.first + 1;
  return came;
}

}  // namespace planner::replay
