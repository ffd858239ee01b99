// Tensor and sequence parallelism (Shoeybi et al. 2019; Korthikanti et al. 2022, section 4).
//
// Column layers divide their outputs, row layers their inputs, attention its heads. Without sequence
// parallelism a region costs one all-reduce forward (after its row layer) and one backward (of its
// column layer's input gradient); with it, all-gather and reduce-scatter pairs, plus a second
// all-gather backward that rebuilds the saved shard for the weight gradient.
#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "planner/workload/dimensions.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

using operator_models::Collective;
using operator_models::CollectiveKind;

// The effective divisor of something under this split. Routed experts have a degree of their own, and their tokens
// are dealt out already (experts.cc).
double divisor(const Parallelism& p, Split split, bool routed) {
  const double degree = static_cast<double>(routed ? p.etp : p.tp);
  switch (split) {
    case Split::none:
      return 1;
    case Split::sequence:
      return p.sequence_parallel && !routed ? degree : 1;
    case Split::column:
    case Split::row:
    case Split::heads:
      return degree;
  }
  return 1;
}

int64_t share(int64_t n, double by) {
  return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(n) / by + 0.5));
}

void divide(int64_t* size, double by) {
  if (size) *size = share(*size, by);
}

// Kernels have one size, whatever the split calls it, and so have messages.
void divide(WorkOp& w, double by) {
  if (by == 1) return;
  const Dimensions d = dimensions_of(w);
  if (d.traffic) planner::divide(*d.traffic, by);
  if (d.message) *d.message /= by;
  for (int64_t* heads : d.heads) divide(heads, by);
  switch (w.split) {
    case Split::none:
      return;
    case Split::sequence:
      return divide(d.tokens, by);
    case Split::column:
      return divide(d.out, by);
    case Split::row:
      return divide(d.in, by);
    case Split::heads:
      return divide(d.batch, by);
  }
}

// Bytes of a region's input, gathered, or of its output, not yet reduced: `features` of each row of its GEMM.
double gathered_bytes(const WorkOp& w, bool input, double element) {
  const auto& g = std::get<operator_models::Gemm>(w.op);
  return element * static_cast<double>(g.batch) * static_cast<double>(g.n) * static_cast<double>(input ? g.k : g.m);
}

WorkOp collective(const Scenario& s, const WorkOp& beside, const std::string& name, CollectiveKind kind, double bytes) {
  WorkOp w;
  w.name = beside.name + "." + name;
  w.role = beside.role;
  w.phase = beside.phase;
  w.sublayer = beside.sublayer;
  w.routed = beside.routed;
  w.purpose = s.parallelism.sequence_parallel && kind != CollectiveKind::all_reduce ? Purpose::sp : Purpose::tp;
  w.op = Collective{.kind = kind, .bytes = {bytes}, .group = beside.routed ? expert_tensor_group(s) : tensor_group(s)};
  return w;
}

// Rebuilds a block's operators with collectives put in; producers and covers follow their operators.
class Inserter {
 public:
  Inserter(const Scenario& s, Block& block, double element) : s_(s), block_(block), element_(element) {}

  void run() {
    std::vector<WorkOp> old = std::move(block_.ops);
    block_.ops.clear();
    for (size_t i = 0; i < old.size(); ++i) {
      weight_gradient_next_ = i + 1 < old.size() && old[i + 1].weight_gradient;
      before(old[i]);
      place(static_cast<int>(i), old[i]);
      after(old[i]);
    }
  }

 private:
  void place(int old_index, WorkOp w) {
    for (int& producer : w.inputs) producer = moved_.at(producer);
    if (w.hide == Hide::cover) w.cover = moved_.at(w.cover);
    if (pending_ >= 0) w.inputs.push_back(std::exchange(pending_, -1));
    if (w.weight_gradient && waiting_cover_ >= 0) {
      // The collective issued after the data gradient runs under the weight gradient that follows it.
      block_.ops[static_cast<size_t>(waiting_cover_)].cover = static_cast<int>(block_.ops.size());
      waiting_cover_ = -1;
    }
    moved_[old_index] = static_cast<int>(block_.ops.size());
    block_.ops.push_back(std::move(w));
  }
  int put(WorkOp w) {
    const int at = static_cast<int>(block_.ops.size());
    if (!block_.ops.empty()) w.inputs = {at - 1};
    block_.ops.push_back(std::move(w));
    return at;
  }
  void before(const WorkOp& w) {
    const bool sp = s_.parallelism.sequence_parallel;
    if (!sp || w.weight_gradient || !divided(w)) return;
    const bool gathers = w.phase == StepPhase::forward ? w.enters_tensor : w.leaves_tensor;
    if (!gathers) return;
    WorkOp gather = collective(s_, w, "all-gather", CollectiveKind::all_gather, gathered_bytes(w, true, element_));
    hide_under_own(gather);
    pending_ = put(std::move(gather));
  }
  void after(const WorkOp& w) {
    if (w.weight_gradient || !divided(w)) return;
    const bool reduces = w.phase == StepPhase::forward ? w.leaves_tensor : w.enters_tensor;
    if (!reduces) return;
    const bool sp = s_.parallelism.sequence_parallel, backward = w.phase == StepPhase::backward;
    const int gemm = static_cast<int>(block_.ops.size()) - 1;
    if (sp && backward && weight_gradient_next_) regather(w, gemm);
    WorkOp reduce = collective(s_, w, sp ? "reduce-scatter" : "all-reduce",
                               sp ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce,
                               gathered_bytes(w, false, element_));
    const bool under_wgrad = backward && weight_gradient_next_ && s_.software.overlap.tensor_backward;
    if (under_wgrad || s_.software.overlap.tensor) {
      reduce.hide = Hide::cover;
      reduce.cover = gemm;
    }
    const int at = put(std::move(reduce));
    if (under_wgrad) waiting_cover_ = at;
    if (!backward) pending_ = at;
  }
  bool divided(const WorkOp& w) const { return (w.routed ? s_.parallelism.etp : s_.parallelism.tp) > 1; }
  // The saved shard of the input, gathered again while the data gradient is computed.
  void regather(const WorkOp& dgrad, int gemm) {
    WorkOp again =
        collective(s_, dgrad, "all-gather-input", CollectiveKind::all_gather, gathered_bytes(dgrad, false, element_));
    if (s_.software.overlap.tensor_backward) {
      again.hide = Hide::cover;
      again.cover = gemm;
    }
    put(std::move(again));
  }
  // Collectives cut into pieces that run under their own GEMM.
  void hide_under_own(WorkOp& w) const {
    if (!s_.software.overlap.tensor) return;
    w.hide = Hide::cover;
    w.cover = static_cast<int>(block_.ops.size()) + 1;  // the GEMM placed next
  }

  const Scenario& s_;
  Block& block_;
  double element_;
  std::map<int, int> moved_;
  int pending_ = -1, waiting_cover_ = -1;
  bool weight_gradient_next_ = false;  // of the operator being placed: a frozen weight has none
};

// Vocabulary parallelism: the embedding's partial rows are summed ...
void sum_rows(const Scenario& s, Block& block, const WorkOp& lookup, double bytes, bool trained) {
  const bool sp = s.parallelism.sequence_parallel;
  block.ops.push_back(collective(s, lookup, sp ? "reduce-scatter" : "all-reduce",
                                 sp ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce, bytes));
  if (!sp || !trained) return;
  WorkOp gather = collective(s, lookup, "all-gather", CollectiveKind::all_gather, bytes);
  gather.phase = StepPhase::backward;
  block.ops.push_back(gather);
}

// ... and the loss exchanges maxima, sums and targets.
void exchange_loss(const Scenario& s, Block& block, const WorkOp& loss, double tokens) {
  WorkOp exchange = collective(s, loss, "all-reduce", CollectiveKind::all_reduce, 4 * tokens * s.model.predicted);
  exchange.phase = StepPhase::forward;
  exchange.count = 3;
  block.ops.push_back(exchange);
}

void vocabulary(const Scenario& s, Block& block, double tokens, double bytes) {
  const std::vector<WorkOp> old = block.ops;  // a copy: the list grows below
  auto lookup = [](const WorkOp& w) { return std::holds_alternative<operator_models::Lookup>(w.op); };
  const bool trained =
      std::ranges::any_of(old, [&](const WorkOp& w) { return lookup(w) && w.phase == StepPhase::backward; });
  for (const WorkOp& w : old) {
    if (w.phase != StepPhase::forward) continue;
    if (lookup(w)) sum_rows(s, block, w, bytes, trained);
    if (w.role == Role::loss) exchange_loss(s, block, w, tokens);
  }
}

void divide_saved(const Scenario& s, Saved& saved) {
  if (saved.gathered && s.software.memory.keeps_gathered) return;
  saved.bytes /= divisor(s.parallelism, saved.split, saved.routed);
}

void divide_matrix(const Parallelism& p, Weight& weight) {
  const double by = divisor(p, weight.split, weight.routed);
  if (weight.in == 0 || weight.split == Split::sequence) return;
  int64_t& side = weight.split == Split::row ? weight.in : weight.out;
  side = share(side, by);
}

void divide_block(const Scenario& s, Block& block) {
  const Parallelism& p = s.parallelism;
  for (WorkOp& op : block.ops) divide(op, divisor(p, op.split, op.routed));
  for (Weight& weight : block.weights) {
    // Down-projections of latent attention work on a share of the sequence, with all of their weights.
    const bool whole = weight.split == Split::sequence;
    weight.parameters /= whole ? 1 : divisor(p, weight.split, weight.routed);
    divide_matrix(p, weight);
  }
  for (Saved& saved : block.saved) divide_saved(s, saved);
  for (Moment& moment : block.moments)
    for (Saved& saved : moment.alive) divide_saved(s, saved);
  block.input_bytes /= divisor(p, block.input_split, false);
}

}  // namespace

void apply_tensor(const Scenario& s, Workload& w) {
  const Parallelism& p = s.parallelism;
  if (p.tp == 1 && p.etp == 1) return;
  for (Block& block : w.blocks) divide_block(s, block);
  const double tokens = static_cast<double>(p.microbatch * s.job.sequence / p.cp);
  const double bytes = w.width_bytes * tokens * static_cast<double>(s.model.hidden);
  for (Block& block : w.blocks) {
    if (block.kind != BlockKind::embedding) Inserter(s, block, w.width_bytes).run();
    if (p.tp > 1) vocabulary(s, block, tokens, bytes);
  }
}

}  // namespace planner
