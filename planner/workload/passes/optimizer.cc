// The update of the parameters that a rank owns, once per step.
//
// Adam and SGD: one fused pass. LAMB (You et al. 2020; Pati 2024, section 4.2.3): a norm over all
// gradients - a barrier over the whole backward pass -, stage 1 (momentum, variance, update), norms per
// layer, stage 2 (weights). States and masters are fp32 whatever the precision of the GEMMs.
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

using operator_models::Update;
using operator_models::Vector;
using operator_models::VectorKind;

constexpr double kWide = 4;  // bytes of an fp32 value

void add(StageClass& c, const Label& name, operator_models::Operator op) {
  WorkOp w;
  w.name = name;
  w.phase = StepPhase::optimizer;
  w.sublayer = Sublayer::optimizer;
  w.op = std::move(op);
  c.step_ops.push_back(std::move(w));
}

// A 16-bit copy of the weight is written beside the master where the GEMMs use one.
double copy_bytes(const Scenario& s) { return s.software.memory.weight < kWide ? 2 : 0; }

void lamb(const Scenario& s, StageClass& c, double owned, int64_t layers) {
  const int64_t kernels = layers + 2;
  add(c, "lamb.global-norm",
      Update{.algorithm = "lamb-norm",
             .parameters = owned,
             .read_bytes = kWide,
             .written_bytes = 0,
             .flops_per_parameter = 2});
  add(c, "lamb.stage1",
      Update{.algorithm = "lamb-stage1",
             .parameters = owned,
             .read_bytes = 4 * kWide,
             .written_bytes = 3 * kWide,
             .flops_per_parameter = 12,
             .kernels = kernels});
  add(c, "lamb.layer-norms",
      Update{.algorithm = "lamb-layer-norms",
             .parameters = owned,
             .read_bytes = 2 * kWide,
             .written_bytes = 0,
             .flops_per_parameter = 4,
             .kernels = kernels});
  add(c, "lamb.stage2",
      Update{.algorithm = "lamb-stage2",
             .parameters = owned,
             .read_bytes = 2 * kWide,
             .written_bytes = kWide + copy_bytes(s),
             .flops_per_parameter = 3,
             .kernels = kernels});
}

void fused(const Scenario& s, StageClass& c, double owned) {
  const bool adam = s.job.optimizer == Optimizer::adam;
  const double states = adam ? 2 : 1;
  add(c, adam ? Label("adam") : Label("sgd"),
      Update{.algorithm = adam ? "adam" : "sgd",
             .parameters = owned,
             .read_bytes = (2 + states) * kWide,
             .written_bytes = (1 + states) * kWide + copy_bytes(s),
             .flops_per_parameter = adam ? 12.0 : 4.0});
}

void update(const Scenario& s, StageClass& c, double owned, int64_t layers) {
  const double extra = s.software.optimizer_extra_bytes * owned;
  add(c, "optimizer.norm-and-scale",
      Vector{.kind = VectorKind::reduction, .elements = owned, .read = {extra / 2}, .written = {extra / 2}});
  if (s.job.optimizer == Optimizer::lamb) lamb(s, c, owned, layers);
  else fused(s, c, owned);
}

}  // namespace

double owned_parameters(const Scenario& s, const StageHoldings& c) {
  return s.parallelism.zero >= 1 ? sharded(s, c.trained) : c.trained.sum();
}

double sharded(const Scenario& s, const Parameters& p) {
  return p.common / static_cast<double>(s.parallelism.zero_group) +
         (p.routed > 0 ? p.routed / static_cast<double>(expert_shards(s)) : 0);
}

double resident(const Scenario& s, const Parameters& p) {
  const bool divided = s.parallelism.zero == 3 || (s.software.fsdp && s.parallelism.zero >= 1);
  return divided ? sharded(s, p) : p.sum();
}

void apply_optimizer(const Scenario& s, Workload& w) {
  if (s.job.phase == Phase::forward) return;
  for (StageClass& c : w.classes) {
    const double owned = owned_parameters(s, c);
    if (s.parallelism.servers == 0) update(s, c, owned, static_cast<int64_t>(c.layers));  // else they do it
    const double buffer = s.parallelism.zero >= 2 ? owned : c.trained.sum();
    add(c, "optimizer.zero-gradients",
        Vector{.elements = buffer, .read = {0}, .written = {s.software.memory.gradient * buffer}});
  }
}

}  // namespace planner
