#include "planner/replay/pass_edits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "planner/replay/kernel_work.h"
#include "planner/replay/rearrange.h"
#include "planner/trace/data_types.h"
#include "planner/trace/inputs.h"

namespace planner::replay {
namespace {

using hw_profiles::Precision;
using trace::Event;
using trace::RankTrace;

std::vector<trace::OperatorInput> inputs_of(const RankTrace& rank, const PhaseWork& work) {
  return work.shaped ? trace::inputs_of(rank, *work.shaped) : std::vector<trace::OperatorInput>();
}

/// The tensors of an element-wise kernel: what it takes, and what it gives, which is as large as the largest.
struct KernelTraffic {
  std::vector<double> in;
  double out = 0, all = 0;
  bool in_place = false;
};

KernelTraffic traffic_of(const RankTrace& rank, const PhaseWork& work) {
  KernelTraffic traffic;
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
      if (event.kind == trace::EventKind::kernel && event.role == trace::Role::compute && event.duration_ns > 0)
        empty_ns_ = std::min(empty_ns_, event.duration_ns);
  }

  size_t halve(double matrix_factor) {
    size_t halved = 0;
    each([&](const PhaseWork& work) {
      if (!takes_single(rank_, work)) return;
      const KernelWork kind = replay::work_of(rank_.events[work.event], rank_.name(rank_.events[work.event]));
      int64_t& ns = duration(work);
      if (kind == KernelWork::matrix || kind == KernelWork::attention) ns = scaled(ns, matrix_factor);
      else ns = beyond_empty(ns, 0.5);
      ++halved;
    });
    return halved;
  }

  size_t fuse() {
    std::vector<uint32_t> groups(rank_.events.size());        // 0: of none
    std::map<uint32_t, std::vector<const PhaseWork*>> lanes;  // streams
    for (const StepWork& step : work_.steps)
      for (const PhaseWork& work : step.work)
        if (has_node(work)) lanes[rank_.events[work.event].lane].push_back(&work);
    const std::vector<bool> fusible = alone();
    uint32_t group = 0;
    for (auto& [lane, all] : lanes) {
      std::ranges::stable_sort(all, {}, [&](const PhaseWork* work) { return rank_.events[work->event].start_ns; });
      const PhaseWork* before = nullptr;  // of the group
      for (const PhaseWork* each : all) {
        const bool may = fusible[each->event] && is_elementwise(rank_, *each);
        if (may && before && before->phase == each->phase) save_traffic(*before, *each);
        else ++group;
        if (may) groups[each->event] = group;
        before = may ? each : nullptr;
      }
      ++group;
    }
    return fuse_groups(rank_, number_, groups, replayed_);
  }

  void divide(int parts) {
    each([&](const PhaseWork& work) {
      const bool of_batch =
          work.phase == WorkPhase::forward || (work.phase == WorkPhase::backward && !work.of_gradient);
      if (of_batch) duration(work) = beyond_empty(duration(work), 1.0 / parts);
    });
  }

 private:
  template <class Act> void each(Act&& act) {
    for (const StepWork& step : work_.steps)
      for (const PhaseWork& work : step.work)
        if (has_node(work) && rank_.events[work.event].role == trace::Role::compute) act(work);
  }
  /// Events that nothing but their stream and a call of their own is in step with: another stream, a host or a rank
  /// cannot wait for half of a kernel, and a graph of kernels is launched as a whole.
  std::vector<bool> alone() const {
    std::vector<uint32_t> stream(replayed_.graph.nodes.size(), trace::kNone);
    for (uint32_t i = 0; i < rank_.events.size(); ++i)
      if (const EventNodes& nodes = replayed_.events[number_][i]; nodes.first != Run::kNone)
        stream[nodes.first] = stream[nodes.last] = rank_.events[i].lane;
    std::vector<bool> shared(stream.size());
    for (const ReplayEdge& edge : replayed_.graph.edges)
      if (edge.cause != Cause::order && edge.cause != Cause::launch && stream[edge.from] != stream[edge.to])
        shared[edge.from] = shared[edge.to] = true;
    std::map<uint32_t, int> launches;
    for (const uint32_t call : rank_.launched_by) ++launches[call];
    std::vector<bool> alone(rank_.events.size());
    for (uint32_t i = 0; i < alone.size(); ++i) {
      const uint32_t node = replayed_.events[number_][i].first, call = rank_.launched_by[i];
      alone[i] = node != Run::kNone && !shared[node] && call != trace::kNone && launches[call] == 1;
    }
    return alone;
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
    const KernelTraffic from = traffic_of(rank_, first), to = traffic_of(rank_, second);
    // Two in place, and those of an optimizer, go over tensors one by one.
    const bool may =
        second.phase != WorkPhase::optimizer && second.phase != WorkPhase::other && !(from.in_place && to.in_place);
    const bool reads = may && from.out > 0 && std::ranges::find(to.in, from.out) != to.in.end();
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

TraceWork work_of(const trace::Trace& trace, const trace::RankSteps& steps) {
  TraceWork work;
  for (size_t r = 0; r < trace.size(); ++r) work.push_back(work_of(trace[r], steps[r]));
  return work;
}

bool takes_single(const RankTrace& rank, const PhaseWork& work) {
  if (work.phase != WorkPhase::forward && work.phase != WorkPhase::backward) return false;
  if (work.of_gradient || rank.events[work.event].kind != trace::EventKind::kernel) return false;
  for (const trace::OperatorInput& input : inputs_of(rank, work))
    if (const auto precision = trace::precision_of_type(input.type)) {
      const Precision kernel = precision_of_kernel(rank.name(rank.events[work.event]));  // under autocast another one
      return precision == Precision::fp32 && (kernel == Precision::fp32 || kernel == Precision::tf32);
    }
  return false;
}

bool is_elementwise(const RankTrace& rank, const PhaseWork& work) {
  const Event& event = rank.events[work.event];
  return event.kind == trace::EventKind::kernel && event.role == trace::Role::compute &&
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
    const std::vector<RepeatRange> made = repeat(edits, trace[r], r, work[r], replayed);
    came.repeats.insert(came.repeats.end(), made.begin(), made.end());
  }
  for (const RepeatRange& each : came.repeats) {
    came.repeated += each.last - each.first + 1;
    came.recomputed += !each.of_batch;
  }
  return came;
}

size_t usual_blocks(const Round& round) {
  return static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(round.size()))));
}

std::vector<ForwardBlock> blocks_of(const Round& round, size_t blocks) {
  const auto weight = [&](const ForwardUnit& unit) { return std::max(0.0, unit.kept_bytes); };
  double all = 0, sum = 0;
  for (const ForwardUnit& unit : round) all += weight(unit);
  const bool is_known = all > 0;
  if (!is_known) all = static_cast<double>(round.size());
  std::vector<ForwardBlock> made;
  for (size_t i = 0; i < round.size(); ++i) {
    const ForwardUnit& unit = round[i];
    const double share = all / static_cast<double>(std::max<size_t>(1, blocks));
    if (made.empty() || (made.size() < blocks && sum >= share * static_cast<double>(made.size())))
      made.push_back({.first = i, .last = i, .kept_bytes = 0, .input_bytes = unit.input_bytes});
    made.back().last = i;
    made.back().kept_bytes += unit.kept_bytes;
    sum += is_known ? weight(unit) : 1;
  }
  for (ForwardBlock& block : made) {
    block.kept_bytes = std::max(0.0, block.kept_bytes);
    block.input_bytes = std::min(block.input_bytes, block.kept_bytes);
  }
  return made;
}

double kept_bytes(const std::vector<ForwardBlock>& blocks, size_t recomputed) {
  double before = 0, most = 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    most = std::max(most, before + blocks[b].kept_bytes);
    before += b < recomputed ? blocks[b].input_bytes : blocks[b].kept_bytes;
  }
  return most;
}

}  // namespace planner::replay
