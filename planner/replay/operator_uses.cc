#include "planner/replay/operator_uses.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "planner/replay/measured_operators.h"
#include "planner/replay/priced_collectives.h"

namespace planner::replay {
namespace {

constexpr std::array kKinds{
    UseKind{"gemm", KernelWork::matrix, {"batch", "m", "n", "k"}},
    UseKind{"attention", KernelWork::attention, {"batch", "heads", "queries", "keys", "head_dim"}},
    UseKind{"attention-backward", KernelWork::attention, {"batch", "heads", "queries", "keys", "head_dim"}},
    UseKind{"all-reduce", KernelWork::collective, {"bytes", "ranks"}},
    UseKind{"all-gather", KernelWork::collective, {"bytes", "ranks"}},
    UseKind{"reduce-scatter", KernelWork::collective, {"bytes", "ranks"}},
    UseKind{"all-to-all", KernelWork::collective, {"bytes", "ranks"}},
    UseKind{"broadcast", KernelWork::collective, {"bytes", "ranks"}},
    UseKind{"send-recv", KernelWork::collective, {"bytes"}},
    UseKind{"collective", KernelWork::collective},
    UseKind{"vector", KernelWork::vector},
    UseKind{"host-copy", KernelWork::host_copy},
    UseKind{"device-copy", KernelWork::device_copy},
    UseKind{"peer-copy", KernelWork::peer_copy},
};

/// null: there is no kind of this name.
const UseKind* kind_named(std::string_view name) {
  const auto* const kind = std::ranges::find(kKinds, name, &UseKind::name);
  return kind == kKinds.end() ? nullptr : kind;
}

/// The first kind of a work, for operators that are not distinguished further.
const UseKind* kind_of(KernelWork work) {
  return work == KernelWork::collective ? kind_named("collective") : std::ranges::find(kKinds, work, &UseKind::work);
}

double real(int64_t n) { return static_cast<double>(n); }

// A kernel of a library: KernelShapes knows GEMMs and attention alone.
OperatorUse use_of(const operator_models::Operator& op) {
  if (const auto* gemm = std::get_if<operator_models::Gemm>(&op))
    return {.kind = kind_named("gemm"), .sizes = {real(gemm->batch), real(gemm->m), real(gemm->n), real(gemm->k)}};
  const auto* a = std::get_if<operator_models::Attention>(&op);
  assert(a && "an operator with shapes multiplies");
  return {.kind = kind_named(a->backward ? "attention-backward" : "attention"),
          .sizes = {real(a->batch), real(a->heads), real(a->queries), real(a->keys), real(a->head_dim)}};
}

OperatorUse use_of(const trace::Collective& collective, const trace::Trace& trace) {
  const SizedCollective sized = sized_of(collective, trace);
  if (!sized.missing.empty()) return {.kind = kind_of(KernelWork::collective)};
  if (!sized.model) return {.kind = kind_named("send-recv"), .sizes = {sized.bytes}};
  return {.kind = kind_named(operator_models::name(*sized.model)), .sizes = {sized.bytes, real(sized.ranks)}};
}

/// The collective that a rank's event is of, and how long the event waited.
struct PartOf {
  const trace::Collective* collective = nullptr;
  int64_t wait_ns = 0;
};
using Parts = std::map<std::pair<size_t, size_t>, PartOf>;  // by rank and event
Parts parts_of(const trace::Matched& matched) {
  Parts parts;
  for (const trace::Collective& collective : matched.collectives)
    for (const trace::Collective::Part& part : collective.parts)
      parts[{part.rank, part.event}] = {&collective, part.wait_ns};
  return parts;
}

/// Adds up the uses of a trace's ranks.
class UseSums {
 public:
  UseSums(const trace::Trace& trace, const trace::Matched& matched, double steps)
      : trace_(trace), parts_(parts_of(matched)), steps_(steps) {}

  void add(size_t rank, const KernelShapes& shapes, const trace::Step& step) {
    const ByOperator all = by_operator(trace_[rank], shapes, step.events);
    for (const TakenOperator& taken : all.operators) add(use_of(taken.shaped.op), taken.ns);
    for (const size_t event : all.others) add(rank, event);
  }
  std::vector<OperatorUse> uses;

 private:
  void add(OperatorUse use, int64_t ns) {
    use.spent = {1 / steps_, real(ns) * 1e-9 / steps_};
    uses.push_back(std::move(use));
  }
  void add(size_t rank, size_t at) {
    const trace::Event& event = trace_[rank].events[at];
    const auto part = parts_.find({rank, at});
    if (part != parts_.end())
      return add(use_of(*part->second.collective, trace_), event.duration_ns - part->second.wait_ns);
    add({.kind = kind_of(work_of(event, trace_[rank].name(event)))}, event.duration_ns);
  }

  const trace::Trace& trace_;
  const Parts parts_;
  const double steps_;
};

/// The kind of a row of `trainplan ops`; null: it is the host's.
const UseKind* kind_of(const OperatorRow& row) {
  if (row.kind == "attention" && row.phase == "backward") return kind_named("attention-backward");
  if (row.kind == "host-update") return nullptr;
  const UseKind* const kind = kind_named(row.kind);
  return kind ? kind : kind_of(KernelWork::vector);
}

}  // namespace

double count_of(const trace::RankSteps& steps) {
  size_t count = 0;
  for (const std::vector<trace::Step>& rank : steps) count += rank.size();
  return static_cast<double>(std::max<size_t>(count, 1));
}

std::vector<OperatorUse> measured_uses(const trace::Trace& trace, const trace::RankSteps& steps,
                                       const trace::Matched& matched) {
  UseSums all(trace, matched, count_of(steps));
  for (size_t rank = 0; rank < trace.size(); ++rank) {
    const KernelShapes shapes(trace[rank]);
    for (const trace::Step& step : steps[rank]) all.add(rank, shapes, step);
  }
  return std::move(all.uses);
}

std::vector<OperatorUse> planned_uses(const std::vector<OperatorRow>& rows) {
  std::vector<OperatorUse> uses;
  for (const OperatorRow& row : rows) {
    const UseKind* const kind = kind_of(row);
    if (!kind) continue;
    OperatorUse use{.kind = kind, .name = row.name, .spent = {.count = row.count, .seconds = row.count * row.seconds}};
    for (const auto& each : row.shape)
      if (std::ranges::any_of(kind->sizes, [&](const char* own) { return own && each.first == own; }))
        use.sizes.push_back(each.second);
    uses.push_back(std::move(use));
  }
  return uses;
}

}  // namespace planner::replay
