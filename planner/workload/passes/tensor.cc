// Tensor and sequence parallelism (Shoeybi et al. 2019; Korthikanti et al. 2022, section 4).
//
// Column layers divide their outputs, row layers their inputs, attention its heads. Without sequence
// parallelism a region costs one all-reduce forward (after its row layer) and one backward (of its
// column layer's input gradient); with it, all-gather and reduce-scatter pairs, plus a second
// all-gather backward that rebuilds the saved shard for the weight gradient.
#include <algorithm>
#include <utility>
#include <variant>

#include "planner/workload/dimensions.h"
#include "planner/workload/insert.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

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

// Of tensor ranks; matrices of experts are no part of it (Megatron-LM: --tp-comm-overlap).
bool overlaps(const Scenario& s, bool pieces) { return pieces && s.parallelism.tp > 1; }

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

// The tensor ranks, and those of routed experts.
struct Groups {
  explicit Groups(const Scenario& s) : common(tensor_group(s)), routed(expert_tensor_group(s)) {}
  operator_models::Group common, routed;
};

WorkOp collective(const Scenario& s, const Groups& groups, const WorkOp& beside, const Label& name, CollectiveKind kind,
                  double bytes) {
  const bool of_sequence = splits_tokens(s.parallelism) && kind != CollectiveKind::all_reduce;
  return {.name = beside.name + name,
          .role = beside.role,
          .phase = beside.phase,
          .sublayer = beside.sublayer,
          .op = Collective{.kind = kind, .bytes = {bytes}, .group = beside.routed ? groups.routed : groups.common},
          .routed = beside.routed,
          .purpose = of_sequence ? Purpose::sp : Purpose::tp};
}

// Puts the collectives of a block's regions in.
class Regions {
 public:
  Regions(const Scenario& s, const Groups& groups, Block& block, double element)
      : s_(s), groups_(groups), put_(block), element_(element) {}

  void run() {
    const int old = put_.size();
    for (int i = 0; i < old; ++i) {
      if (put_[i].weight_gradient || !divided(put_[i])) continue;
      const bool forward = put_[i].phase == StepPhase::forward;
      weight_gradient_ = !forward && i + 1 < old && put_[i + 1].weight_gradient ? i + 1 : -1;
      if (splits_tokens(s_.parallelism) && begins(put_[i], forward)) gather(i);
      if (ends(put_[i], forward)) reduce(i);
    }
    put_.finish();
  }

 private:
  static bool begins(const WorkOp& w, bool forward) { return forward ? w.enters_tensor : w.leaves_tensor; }
  static bool ends(const WorkOp& w, bool forward) { return forward ? w.leaves_tensor : w.enters_tensor; }
  bool divided(const WorkOp& w) const { return (w.routed ? s_.parallelism.etp : s_.parallelism.tp) > 1; }

  // Parallel layers without a collective of their own share a layer's: queries, keys and values, and an MLP parallel to
  // attention. `split`: their common split.
  template <class Shares> Numbers with_those_beside(int at, Split split, Shares shares) {
    Numbers all{at};
    const WorkOp& w = put_[at];
    for (int i = 0; i < put_.size(); ++i) {
      const WorkOp& other = put_[i];
      const bool alike = other.phase == w.phase && other.split == split && other.routed == w.routed &&
                         std::holds_alternative<operator_models::Gemm>(other.op);
      const bool grouped = w.independent != 0 && other.independent == w.independent && !other.weight_gradient;
      if (i != at && alike && (grouped || shares(other, i))) all.push_back(i);
    }
    return all;
  }
  static bool meet(const Numbers& a, const Numbers& b) {
    return std::ranges::any_of(a, [&](int i) { return std::ranges::find(b, i) != b.end(); });
  }

  // Rows that are sharded are gathered for all that read them whole.
  void gather(int at) {
    const bool forward = put_[at].phase == StepPhase::forward;
    WorkOp gather = collective(s_, groups_, put_[at], ".all-gather", CollectiveKind::all_gather,
                               gathered_bytes(put_[at], true, element_));
    if (overlaps(s_, s_.software.overlap.tensor)) hide_under(gather, at);  // in pieces, under their own GEMM
    const Numbers inputs = activations(at);
    const auto readers = with_those_beside(at, forward ? Split::column : Split::row, [&](const WorkOp& w, int i) {
      return !begins(w, forward) && meet(inputs, activations(i));
    });
    put_.before(readers, std::move(gather), at);
  }
  Numbers activations(int at) {
    Numbers inputs = put_[at].inputs;
    dsl::erase_if(inputs, [&](int i) { return i >= 0 && put_[i].of_weights; });
    return inputs;
  }

  // Partial sums are added up, those of one result together.
  void reduce(int at) {
    const bool sp = splits_tokens(s_.parallelism), forward = put_[at].phase == StepPhase::forward;
    if (sp && weight_gradient_ >= 0) regather(at);
    WorkOp reduce = collective(s_, groups_, put_[at], sp ? Label(".reduce-scatter") : Label(".all-reduce"),
                               sp ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce,
                               gathered_bytes(put_[at], false, element_));
    const bool under_wgrad = weight_gradient_ >= 0 && overlaps(s_, s_.software.overlap.tensor_backward);
    if (under_wgrad) hide_under(reduce, weight_gradient_);  // issued after the data gradient
    else if (overlaps(s_, s_.software.overlap.tensor)) hide_under(reduce, at);
    const Numbers readers = put_.readers_of({at}, put_[at].phase);
    const auto partial = with_those_beside(at, forward ? Split::row : Split::column, [&](const WorkOp& w, int i) {
      const auto reads = [&](int reader) {
        return std::ranges::find(put_[reader].inputs, i) != put_[reader].inputs.end();
      };
      return !w.weight_gradient && !ends(w, forward) && std::ranges::any_of(readers, reads);
    });
    put_.after(forward ? partial : with_adapters(partial), std::move(reduce), at);
  }
  // The gradient of a layer's input has its adapter's share in it before it is summed.
  Numbers with_adapters(const Numbers& gradients) {
    Numbers sums;
    for (int gradient : gradients) {
      const Numbers readers = put_.readers_of({gradient}, StepPhase::backward);
      const bool joined = readers.size() == 1 && put_[readers.front()].adapter;
      const int sum = joined ? readers.front() : gradient;
      if (std::ranges::find(sums, sum) == sums.end()) sums.push_back(sum);
    }
    return sums;
  }
  // The saved shard of the input, gathered again for the weight gradient while the data gradient is computed.
  void regather(int at) {
    WorkOp again = collective(s_, groups_, put_[at], ".all-gather-input", CollectiveKind::all_gather,
                              gathered_bytes(put_[at], false, element_));
    if (overlaps(s_, s_.software.overlap.tensor_backward)) hide_under(again, at);
    again.inputs = {kKept};
    again.forward = put_[at].forward;
    put_.read_also(weight_gradient_, put_.add(std::move(again), at));
  }
  static void hide_under(WorkOp& w, int cover) {
    w.hide = Hide::cover;
    w.cover = cover;
  }

  const Scenario& s_;
  const Groups& groups_;
  Inserter put_;
  double element_;
  int weight_gradient_ = -1;  // behind the data gradient at hand; a frozen weight has none
};

// Vocabulary parallelism: the embedding's partial rows are summed ...
void sum_rows(const Scenario& s, const Groups& groups, Inserter& put, int lookup, double bytes) {
  const bool sp = s.parallelism.sequence_parallel;
  put.after({lookup}, collective(s, groups, put[lookup], sp ? Label(".reduce-scatter") : Label(".all-reduce"),
                                 sp ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce, bytes));
}

// ... their gradients gathered where each rank has those of its tokens ...
void gather_rows(const Scenario& s, const Groups& groups, Inserter& put, int lookup, double bytes) {
  put.before({lookup}, collective(s, groups, put[lookup], ".all-gather", CollectiveKind::all_gather, bytes));
}

// ... and the loss exchanges maxima, sums and targets.
void exchange_loss(const Scenario& s, const Groups& groups, Inserter& put, int loss, double tokens) {
  WorkOp exchange =
      collective(s, groups, put[loss], ".all-reduce", CollectiveKind::all_reduce, 4 * tokens * s.model.predicted);
  exchange.count = 3;
  put.after({loss}, std::move(exchange));
}

void vocabulary(const Scenario& s, const Groups& groups, Block& block, double tokens, double bytes) {
  Inserter put(block);
  const int old = put.size();
  auto lookup = [&](int i) { return std::holds_alternative<operator_models::Lookup>(put[i].op); };
  for (int i = 0; i < old; ++i) {
    if (put[i].phase != StepPhase::forward) continue;
    if (put[i].role == Role::loss) exchange_loss(s, groups, put, i, tokens);
    if (!lookup(i)) continue;
    sum_rows(s, groups, put, i, bytes);
    for (int k = 0; k < old && s.parallelism.sequence_parallel; ++k)
      if (lookup(k) && put[k].forward == i && put[k].phase == StepPhase::backward)
        gather_rows(s, groups, put, k, bytes);
  }
  put.finish();
}

// What tensor ranks keep of the same activations, though each of them computes with all of them.
double kept_divisor(const Scenario& s, Split split, bool routed) {
  const bool splits = s.software.memory.splits_hidden && split == Split::sequence && !routed;
  return splits ? static_cast<double>(s.parallelism.tp) : divisor(s.parallelism, split, routed);
}

void divide_saved(const Scenario& s, Saved& saved) {
  if (saved.gathered && s.software.memory.keeps_gathered) return;
  saved.bytes /= kept_divisor(s, saved.split, saved.routed);
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
  block.each_saved([&](Saved& saved) { divide_saved(s, saved); });
  divide_saved(s, block.kept);
  block.input_bytes /= kept_divisor(s, block.input_split, false);
}

}  // namespace

void apply_tensor(const Scenario& s, Workload& w) {
  const Parallelism& p = s.parallelism;
  if (p.tp == 1 && p.etp == 1) return;
  for (Block& block : w.blocks) divide_block(s, block);
  const Groups groups(s);
  const double tokens = static_cast<double>(p.microbatch * s.job.sequence / p.cp);
  const double bytes = w.width_bytes * tokens * static_cast<double>(s.model.hidden);
  for (Block& block : w.blocks) {
    if (block.kind != BlockKind::embedding) Regions(s, groups, block, w.width_bytes).run();
    if (p.tp > 1) vocabulary(s, groups, block, tokens, bytes);
  }
}

}  // namespace planner
