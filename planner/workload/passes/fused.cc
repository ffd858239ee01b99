// GEMMs and the reduce-scatters of their outputs, run at the same time (Pati 2024, chapter 8).
//
// Tensor parallelism sums the outputs of its GEMMs. Each sum whose parts all come from GEMMs becomes a reduce-scatter
// that hides under the last of them part by part, followed by an all-gather, which nothing of T3 hides (figure 8.5;
// section 8.4.3).
// Experts' outputs go back to the ranks of their inputs: hardware maps the rows of each rank to that rank, so that no
// kernel sorts them before (8.6.1, 8.6.2). A collective with compute units of its own stays whole: an all-reduce runs
// parallel to its GEMM (8.2.2.1).
#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "planner/workload/fused_cost.h"
#include "planner/workload/insert.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

bool of_regions(const WorkOp& op) { return op.purpose == Purpose::tp || op.purpose == Purpose::sp; }

/// An exchange with experts may be written by their GEMM (section 8.6.2), a sum of tensor ranks is one of its results.
bool may_fuse(const WorkOp& op) {
  const auto* c = std::get_if<Collective>(&op.op);
  if (!c || c->group.ranks <= 1) return false;
  if (c->kind == CollectiveKind::all_to_all) return op.purpose == Purpose::ep;
  return of_regions(op) && (c->kind == CollectiveKind::all_reduce || c->kind == CollectiveKind::reduce_scatter);
}

/// The last GEMM that writes a part of what the collective moves; -1: not only GEMMs do.
int writer_of(Inserter& put, const WorkOp& op) {
  int last = -1;
  for (int input : op.inputs) {
    const bool gemm = input >= 0 && std::holds_alternative<Gemm>(put[input].op) && put[input].phase == op.phase;
    if (!gemm) return -1;
    last = std::max(last, input);
  }
  return last;
}

/// The operator that the collective has its name of.
const WorkOp& named_after(Inserter& put, const WorkOp& op, int writer) {
  for (int input : op.inputs)
    if (put[input].name + ".all-reduce" == op.name) return put[input];
  return put[writer];
}

/// An all-reduce becomes its first half, and the second half follows it.
void halve(Inserter& put, int at, int writer) {
  WorkOp gather = put[at];
  const Label name = named_after(put, put[at], writer).name;
  gather.name = name + ".all-gather";
  std::get<Collective>(gather.op).kind = CollectiveKind::all_gather;
  const bool under_writer = gather.cover < 0 || !put[gather.cover].weight_gradient;
  if (under_writer) gather.hide = Hide::nothing, gather.cover = -1;
  put[at].name = name + ".reduce-scatter";
  std::get<Collective>(put[at].op).kind = CollectiveKind::reduce_scatter;
  put.after({at}, std::move(gather), at);
}

bool sorts(const WorkOp& op) {
  const auto* v = std::get_if<operator_models::Vector>(&op.op);
  return v && v->kind == operator_models::VectorKind::permutation;
}

/// Kernels that sort what GEMMs write for an exchange alone.
std::vector<bool> sorting_for_exchanges(const Block& block) {
  const auto at = [&](int i) -> const WorkOp& { return block.ops[static_cast<size_t>(i)]; };
  const auto by_gemm = [&](const WorkOp& op, int i) {
    return i >= 0 && std::holds_alternative<Gemm>(at(i).op) && at(i).phase == op.phase;
  };
  std::vector<bool> gone(block.ops.size(), false);
  std::vector<int> readers(block.ops.size(), 0);
  for (const WorkOp& op : block.ops)
    for (int i : op.inputs)
      if (i >= 0) ++readers[static_cast<size_t>(i)];
  for (const WorkOp& op : block.ops) {
    const auto* c = std::get_if<Collective>(&op.op);
    if (!c || c->kind != CollectiveKind::all_to_all || !may_fuse(op)) continue;
    for (int i : op.inputs)
      if (i >= 0 && readers[static_cast<size_t>(i)] == 1 && sorts(at(i)) && !at(i).inputs.empty())
        gone[static_cast<size_t>(i)] = std::ranges::all_of(at(i).inputs, [&](int g) { return by_gemm(at(i), g); });
  }
  return gone;
}

void fuse(const Scenario& s, Block& block) {
  const bool once_for_each = s.software.experts.dispatch == Dispatch::all_to_all;  // else copies of a rank are summed
  if (sent_by_hardware(s) && once_for_each) remove_ops(block, sorting_for_exchanges(block));
  Inserter put(block);
  const int old = put.size();
  for (int i = 0; i < old; ++i) {
    if (!may_fuse(put[i])) continue;
    const int writer = writer_of(put, put[i]);
    if (writer < 0) continue;
    const bool whole = std::get<Collective>(put[i].op).kind != CollectiveKind::all_reduce;
    if (!whole && s.software.fused_collectives != FusedCollectives::cu_split) halve(put, i, writer);
    put[i].hide = Hide::fused;
    put[i].cover = writer;
  }
  put.finish();
}

}  // namespace

void apply_fused(const Scenario& s, Workload& w) {
  if (s.software.fused_collectives == FusedCollectives::none) return;
  for (Block& block : w.blocks) fuse(s, block);
}

}  // namespace planner
