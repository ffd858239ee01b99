// The update of the parameters that a rank owns, once per step, by the rows of planner/scenario/optimizers.cc: passes
// over parameters, fused or operation by operation; what matrices of layers need beside is in matrix_update.cc. States
// and masters are fp32 whatever the precision of the GEMMs.
#include <algorithm>
#include <cmath>

#include "planner/workload/matrices.h"
#include "planner/workload/passes/matrix_update.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

using operator_models::kUpdateWord;

void add(StageClass& c, const Label& name, operator_models::Operator op) {
  c.step_ops.push_back(step_op(name, std::move(op)));
}

// A 16-bit copy of the weight is written beside the master where the GEMMs use one.
double copy_bytes(const Scenario& s) { return s.software.memory.weight < kUpdateWord ? 2 : 0; }

/// What the passes of an optimizer go over.
struct UpdateShare {
  double parameters = 0;
  int64_t layers = 0;
  double matrices = 0;
};

int64_t launches(const Scenario& s, Launches kind, const UpdateShare& of) {
  const auto each = static_cast<double>(s.software.optimizer_launch);
  switch (kind) {
    case Launches::once:
      return 1;
    case Launches::layers:
      return of.layers + 2;
    case Launches::matrices:
      return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(of.matrices)));
    case Launches::parameters:
      return each > 0 ? std::max<int64_t>(1, static_cast<int64_t>(std::ceil(of.parameters / each))) : 1;
  }
  return 1;
}

int64_t sums(const UpdatePass& pass, const UpdateShare& of) {
  switch (pass.sums) {
    case UpdatePass::Sums::none:
      return 0;
    case UpdatePass::Sums::once:
      return 1;
    case UpdatePass::Sums::layers:
      return 2 * (of.layers + 2);
  }
  return 0;
}

void by_passes(const Scenario& s, StageClass& c, std::span<const UpdatePass> passes, const UpdateShare& of) {
  for (const UpdatePass& pass : passes)
    add(c, Label::of(pass.name),
        Update{.algorithm = pass.algorithm,
               .parameters = of.parameters,
               .read_bytes = pass.read,
               .written_bytes = pass.written + (pass.writes_weights ? copy_bytes(s) : 0),
               .flops_per_parameter = pass.flops,
               .kernels = launches(s, pass.launches, of),
               .register_commands = pass.register_commands,
               .sums = sums(pass, of),
               .over_all = pass.over_all});
}

void by_operation(const Scenario& s, const Workload& w, StageClass& c, const OptimizerRow& row, double owned) {
  const UpdatePass& fused = row.passes.front();
  double matrices = 0;
  for (const LayerMatrix& m : layer_matrices(s, w.blocks, c.total())) matrices += m.count;
  add(c, Label::of(row.name),
      Update{.algorithm = row.unfused.algorithm,
             .parameters = owned,
             .read_bytes = row.unfused.arrays_read * kUpdateWord,
             .written_bytes = row.unfused.arrays_written * kUpdateWord + copy_bytes(s),
             .flops_per_parameter = fused.flops,
             .kernels = row.unfused.kernels * static_cast<int64_t>(std::ceil(c.tensors)) +
                        row.unfused.matrix_kernels * static_cast<int64_t>(std::ceil(matrices)),
             .register_commands = fused.register_commands});
}

double owned_of(const Scenario& s, const Parameters& p) { return owner_counts(s).part_of(p); }

// Matrices of layers by passes of their own, what remains by those of the row.
void with_matrices(const Scenario& s, const Workload& w, StageClass& c, const OptimizerRow& row,
                   const UpdateShare& all) {
  const std::vector<LayerMatrix> matrices = layer_matrices(s, w.blocks, c.total());
  UpdateShare of{.parameters = owned_of(s, parameters_of(matrices)), .layers = all.layers};
  for (const LayerMatrix& m : matrices) of.matrices += m.count;
  by_passes(s, c, row.passes, {.parameters = std::max(0.0, all.parameters - of.parameters), .layers = all.layers});
  by_passes(s, c, row.matrix_passes, of);
  update_matrices(s, row, matrices, c);
}

void update(const Scenario& s, const Workload& w, StageClass& c, double owned) {
  const OptimizerRow& row = row_of(s.job.optimizer);
  const double extra = s.software.optimizer_extra_bytes * owned;
  add(c, "optimizer.norm-and-scale",
      Vector{.kind = VectorKind::reduction, .elements = owned, .read = {extra / 2}, .written = {extra / 2}});
  const UpdateShare all{.parameters = owned, .layers = static_cast<int64_t>(c.layers)};
  if (!row.products.empty()) with_matrices(s, w, c, row, all);
  else if (row.unfused.kernels > 0 && !s.software.fusion.optimizer) by_operation(s, w, c, row, owned);
  else by_passes(s, c, row.passes, all);
}

}  // namespace

double owned_parameters(const Scenario& s, const StageHoldings& c) { return owned_of(s, c.trained); }

ShardCounts shard_counts(const Scenario& s) {
  return {static_cast<double>(s.parallelism.zero_group), static_cast<double>(expert_shards(s))};
}

ShardCounts owner_counts(const Scenario& s) { return s.parallelism.zero >= 1 ? shard_counts(s) : ShardCounts{}; }

double sharded(const Scenario& s, const Parameters& p) { return shard_counts(s).part_of(p); }

double resident(const Scenario& s, const Parameters& p) {
  const bool divided = s.parallelism.zero == 3 || (s.software.fsdp && s.parallelism.zero >= 1);
  return divided ? sharded(s, p) : p.sum();
}

void apply_optimizer(const Scenario& s, Workload& w) {
  if (s.job.phase == Phase::forward) return;
  for (StageClass& c : w.classes) {
    const double owned = owned_parameters(s, c);
    if (s.parallelism.servers == 0) update(s, w, c, owned);  // else they do it
    const double buffer = s.parallelism.zero >= 2 ? owned : c.trained.sum();
    add(c, "optimizer.zero-gradients",
        Vector{.elements = buffer, .read = {0}, .written = {s.software.memory.gradient * buffer}});
  }
}

}  // namespace planner
