#include "planner/plan/comm.h"

#include <algorithm>
#include <variant>

#include "planner/plan/step.h"

namespace planner {
namespace {

// The passes of a block that communication may hide under, in microbatches: all of them, or one.
struct Covered {
  double forward = 0, backward = 0;
  double& of(StepPhase phase) { return phase == StepPhase::backward ? backward : forward; }
  void take(StepPhase phase, double microbatches) { of(phase) = std::max(of(phase), microbatches); }
};

// Once a step: gradients under the backward pass of one microbatch, parameters under the forward pass.
Covered step_wide_cover(const StageClass& stage) {
  Covered c;
  for (const WorkOp& op : stage.step_ops)
    if (op.purpose == Purpose::dp || op.purpose == Purpose::host) c.take(op.phase, 1);
  return c;
}

// GEMMs of matrices with a gradient, in microbatches of their pass.
double covering_gemms(const CostedBlock& block, Covered covered) {
  double seconds = 0;
  for (const CostedOp& op : block.ops) {
    const WorkOp& w = *op.work;
    if (is_core_attention(w.role) || !std::holds_alternative<Gemm>(w.op)) continue;
    if (w.phase == StepPhase::forward || w.phase == StepPhase::backward)
      seconds += covered.of(w.phase) * w.count * op.cost.seconds.value;
  }
  return seconds;
}

// Operators that communication of their own block runs beside, each once.
double covering_operators(const CostedBlock& block) {
  double seconds = 0;
  std::vector<int> seen;
  for (const CostedOp& op : block.ops) {
    if (!op.communication || !has_cover(*op.work)) continue;
    if (std::ranges::find(seen, op.work->cover) != seen.end()) continue;
    seen.push_back(op.work->cover);
    const CostedOp& cover = block.ops[static_cast<size_t>(op.work->cover)];
    seconds += cover.work->count * cover.cost.seconds.value;
  }
  return seconds;
}

double hiding_seconds(const TimedStep& t) {
  const Covered wide = step_wide_cover(t.stage());
  const double microbatches = static_cast<double>(t.costed.workload.microbatches);
  const Chunk held = t.stage().total();
  double seconds = 0;
  for (size_t i = 0; i < held.size(); ++i) {
    if (held[i] == 0) continue;
    Covered covered = wide;
    for (const CostedOp& op : t.costed.blocks[i].ops)
      if (op.communication && (op.work->hide == Hide::block || op.work->purpose == Purpose::fsdp))
        covered.take(op.work->phase, microbatches);
    seconds += static_cast<double>(held[i]) *
               (covering_gemms(t.costed.blocks[i], covered) + microbatches * covering_operators(t.costed.blocks[i]));
  }
  return seconds;
}

double share_beside(double part, double rest) { return part + rest > 0 ? part / (part + rest) : 0; }

// Gradients and parameters wait for nothing within the passes; all other collectives stand between two operators.
bool between_operators(Purpose p) { return p != Purpose::dp && p != Purpose::fsdp && p != Purpose::host; }

CommFractions fractions_of(const TimedStep& t, const std::vector<CommunicationRow>& rows) {
  const Breakdown& b = t.step.breakdown;
  const double step = b.sum(), compute = b.forward + b.backward + b.recompute;
  CommFractions f;
  double critical = b.serialized_comm;
  double overlapped = 0, sends = 0;  // sends hide under other microbatches, in the pipeline's gaps too
  for (const CommunicationRow& row : rows) {
    overlapped += row.serialized ? row.hidden_seconds : row.seconds;
    if (row.purpose == Purpose::pp) sends += row.hidden_seconds;
    if (!row.serialized && between_operators(row.purpose)) critical += row.exposed_seconds;
  }
  f.serialized_fraction = share_beside(b.serialized_comm, compute);
  f.critical_path_fraction = share_beside(critical, compute);
  f.serialized_share_of_step = b.serialized_comm / step;
  f.exposed_fraction = b.exposed_comm / step;
  f.overlapped_share_of_step = overlapped / step;
  const double hiding = overlapped > sends ? hiding_seconds(t) : 0;
  if (hiding > 0) f.overlapped_over_hiding_compute = (overlapped - sends) / hiding;
  return f;
}

std::vector<PurposeRow> by_purpose(const std::vector<CommunicationRow>& rows) {
  std::vector<PurposeRow> sums;
  for (const CommunicationRow& row : rows) {
    const std::string tier = row.tiers.empty() ? "" : row.tiers.back();
    auto at =
        std::ranges::find_if(sums, [&](const PurposeRow& s) { return s.purpose == row.purpose && s.tier == tier; });
    if (at == sums.end()) at = sums.insert(at, {.purpose = row.purpose, .tier = tier});
    at->seconds += row.seconds;
    at->hidden_seconds += row.hidden_seconds;
    (row.serialized ? at->serialized_seconds : at->exposed_seconds) += row.exposed_seconds;
  }
  return sums;
}

}  // namespace

CommFractions comm_fractions(const Scenario& s) {
  const TimedStep t = time_step(s);
  return fractions_of(t, communication_rows(s, t.costed, t.pipeline));
}

CommAnalysis analyse_comm(const Scenario& s) {
  const TimedStep t = time_step(s);
  CommAnalysis a{.algorithm = count_algorithm(s, t.costed.workload),
                 .step_seconds = t.step.breakdown.sum(),
                 .breakdown = t.step.breakdown,
                 .communication = communication_rows(s, t.costed, t.pipeline),
                 .required_tp = required_tp(s),
                 .fitting_tp = fitting_tp(s)};
  a.fractions = fractions_of(t, a.communication);
  a.purposes = by_purpose(a.communication);
  return a;
}

}  // namespace planner
