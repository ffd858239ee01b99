// The update of the parameters that a rank owns, once per step.
//
// Adam and SGD: one fused pass. LAMB (You et al. 2020; Pati 2024, section 4.2.3): a norm over all
// gradients - a barrier over the whole backward pass -, stage 1 (momentum, variance, update), norms per
// layer, stage 2 (weights). States and masters are fp32 whatever the precision of the GEMMs.
#include <algorithm>
#include <cmath>

#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

using operator_models::kUpdateWord;
using operator_models::Update;
using operator_models::Vector;
using operator_models::VectorKind;

void add(StageClass& c, const Label& name, operator_models::Operator op) {
  WorkOp w;
  w.name = name;
  w.phase = StepPhase::optimizer;
  w.sublayer = Sublayer::optimizer;
  w.op = std::move(op);
  c.step_ops.push_back(std::move(w));
}

// A 16-bit copy of the weight is written beside the master where the GEMMs use one.
double copy_bytes(const Scenario& s) { return s.software.memory.weight < kUpdateWord ? 2 : 0; }

// Commands on registers for a word, where a command may multiply what it reads by a constant and add it to a register:
// momentum + gradient, the gradient's square, variance + square, root, quotient (Pati 2024, fig. 2.7 and 6.3). A norm
// has one, the square that is added up.
constexpr double kAdamCommands = 5;

void lamb(const Scenario& s, StageClass& c, double owned, int64_t layers) {
  const int64_t kernels = layers + 2;
  add(c, "lamb.global-norm",
      Update{.algorithm = "lamb-norm",
             .parameters = owned,
             .read_bytes = kUpdateWord,
             .written_bytes = 0,
             .flops_per_parameter = 2,
             .register_commands = 1,
             .sums = 1,
             .over_all = true});
  add(c, "lamb.stage1",
      Update{.algorithm = "lamb-stage1",
             .parameters = owned,
             .read_bytes = 4 * kUpdateWord,
             .written_bytes = 3 * kUpdateWord,
             .flops_per_parameter = 12,
             .kernels = kernels,
             .register_commands = kAdamCommands});
  add(c, "lamb.layer-norms",
      Update{.algorithm = "lamb-layer-norms",
             .parameters = owned,
             .read_bytes = 2 * kUpdateWord,
             .written_bytes = 0,
             .flops_per_parameter = 4,
             .kernels = kernels,
             .register_commands = 2,
             .sums = 2 * kernels});
  add(c, "lamb.stage2",
      Update{.algorithm = "lamb-stage2",
             .parameters = owned,
             .read_bytes = 2 * kUpdateWord,
             .written_bytes = kUpdateWord + copy_bytes(s),
             .flops_per_parameter = 3,
             .kernels = kernels});
}

int64_t launches(const Scenario& s, double owned) {
  const auto each = static_cast<double>(s.software.optimizer_launch);
  return each > 0 ? std::max<int64_t>(1, static_cast<int64_t>(std::ceil(owned / each))) : 1;
}

// Adam by operations of a tensor library, as BERT's first PyTorch version writes it (pytorch-pretrained-bert 0.6,
// optimization.py): the gradient's norm, its clipping (2 arrays), momentum (2 + 3), variance (2 + 3), root, epsilon and
// quotient (2 + 2 + 3), weight decay (2 + 3), learning rate (2), sign and sum (2 + 3): 14 kernels, of 19 arrays read
// and 13 written.
void by_operation(const Scenario& s, StageClass& c, double owned) {
  add(c, Label("adam"),
      Update{.algorithm = "adam-unfused",
             .parameters = owned,
             .read_bytes = 19 * kUpdateWord,
             .written_bytes = 13 * kUpdateWord + copy_bytes(s),
             .flops_per_parameter = 12,
             .kernels = 14 * static_cast<int64_t>(std::ceil(c.tensors)),
             .register_commands = kAdamCommands});
}

void fused(const Scenario& s, StageClass& c, double owned) {
  const bool adam = s.job.optimizer == Optimizer::adam;
  const double states = adam ? 2 : 1;
  add(c, adam ? Label("adam") : Label("sgd"),
      Update{.algorithm = adam ? "adam" : "sgd",
             .parameters = owned,
             .read_bytes = (2 + states) * kUpdateWord,
             .written_bytes = (1 + states) * kUpdateWord + copy_bytes(s),
             .flops_per_parameter = adam ? 12.0 : 4.0,
             .kernels = launches(s, owned),
             .register_commands = adam ? kAdamCommands : 0});
}

void update(const Scenario& s, StageClass& c, double owned, int64_t layers) {
  const double extra = s.software.optimizer_extra_bytes * owned;
  add(c, "optimizer.norm-and-scale",
      Vector{.kind = VectorKind::reduction, .elements = owned, .read = {extra / 2}, .written = {extra / 2}});
  if (s.job.optimizer == Optimizer::lamb) lamb(s, c, owned, layers);
  else if (s.job.optimizer == Optimizer::adam && !s.software.fusion.optimizer) by_operation(s, c, owned);
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
