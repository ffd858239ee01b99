// Muon (Jordan et al. 2024; Liu et al. 2025, arXiv:2502.16982), SOAP and Shampoo: products over whole matrices.
//
// Tensor ranks, and those of FSDP, hold a shard of a matrix each. Who multiplies it is job.muon.mode, after Megatron-LM
// (core/optimizer/muon.py; issue 6676): all of them the gathered whole; each its shard, where only the square matrices
// are summed; each its shard as if it were the whole; one of them, to which the others send theirs. Under ZeRO 1 and 2
// whole matrices are dealt to the data ranks (core/optimizer/layer_wise_optimizer.py).
#include "planner/workload/passes/matrix_update.h"

#include <algorithm>
#include <cmath>

#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

using operator_models::kUpdateWord;

constexpr double kHalf = 2;

// Whole matrices go to ranks: the largest number on one rank.
double fullest(double matrices, double ranks) { return matrices > 0 ? std::ceil(matrices / ranks) / matrices : 0; }

Precision precision_of(const Scenario& s, const OptimizerRow& row) {
  const auto known = [&](Precision p) { return s.cluster.gpu.flops.at(p).has_value(); };
  for (const Precision p : {Precision::bf16, Precision::fp16, Precision::tf32})
    if (known(p) && (p == Precision::tf32) != row.halves) return p;
  return Precision::fp32;
}

/// The matrices of one family: those of routed experts have their own ranks.
class MatrixFamily {
 public:
  MatrixFamily(const Scenario& s, const OptimizerRow& row, bool routed, StageClass& stage)
      : s_(s), row_(row), routed_(routed), stage_(stage), precision_(precision_of(s, row)) {
    const int64_t shards = routed ? expert_shards(s) : s.parallelism.zero_group;
    tensor_ = routed ? s.parallelism.etp : s.parallelism.tp;
    units_ = by_unit_sharding(s) ? shards : 1;
    owners_ = s.parallelism.zero >= 1 && units_ == 1 ? shards : 1;
  }

  void run(const std::vector<LayerMatrix>& matrices) {
    double all = 0, sharded = 0;
    for (const LayerMatrix& m : matrices) {
      if (m.routed != routed_) continue;
      all += m.count;
      if (ways(m) > 1) sharded += m.count;
    }
    owned_ = fullest(all, static_cast<double>(owners_));
    home_ = fullest(sharded * owned_, static_cast<double>(tensor_ * units_));
    for (const LayerMatrix& m : matrices)
      if (m.routed == routed_) update(m);
    exchange();
  }

 private:
  int64_t tensor_of(const LayerMatrix& m) const {
    return m.split == Split::none || m.split == Split::sequence ? 1 : tensor_;  // the two are whole on every rank
  }
  int64_t ways(const LayerMatrix& m) const { return tensor_of(m) * units_; }
  double owned(const LayerMatrix& m) const { return m.count * owned_; }
  Label named(const char* what) const {
    const Label family = routed_ ? Label(".experts.") : Label(".");
    return Label::of(row_.name) + family + Label::of(what);
  }

  /// All tensor ranks' part of a matrix.
  static LayerMatrix whole(LayerMatrix m, double ranks) {
    (m.split == Split::row ? m.in : m.out) *= ranks;
    return m;
  }

  void update(const LayerMatrix& m) {
    const LayerMatrix full = whole(m, static_cast<double>(tensor_of(m)));
    const MuonMode mode = row_.shards ? s_.job.muon.mode : MuonMode::blockwise;
    if (ways(m) == 1) return multiply(m.in, m.out, owned(m));
    switch (mode) {
      case MuonMode::duplicated:
        gather(m, full);
        return multiply(full.in, full.out, owned(m));
      case MuonMode::blockwise:
        return multiply(m.in, m.out / static_cast<double>(units_), owned(m));
      case MuonMode::layer_sharded:
        sent_ += kUpdateWord * owned(m) * m.in * m.out / static_cast<double>(units_);
        return multiply(full.in, full.out, owned(m) * home_);
      case MuonMode::distributed:
        return in_shards(m, full);
    }
  }

  void multiply(double in, double out, double count) {
    const MatrixBlocks block = blocks_of(row_, in, out);
    products(std::min(block.in, block.out), std::max(block.in, block.out), count * block.count);
  }

  void products(double small, double large, double count) {
    const auto length = [&](Side side) {
      return std::max<int64_t>(1, static_cast<int64_t>((side == Side::small ? small : large) + 0.5));
    };
    const double element = row_.halves ? kHalf : kUpdateWord;
    for (const UpdateProduct& p : row_.products) {
      const bool is_long = row_.long_side == LongSide::skipped && length(p.rows) > row_.longest_side;
      if (p.preconditions && is_long) continue;
      const double times =
          p.times * (p.iterated ? static_cast<double>(s_.job.muon.steps) : 1) / static_cast<double>(p.every);
      const Gemm gemm{.m = length(p.rows),
                      .n = length(p.columns),
                      .k = length(p.inner),
                      .precision = precision_,
                      .a_bytes = element,
                      .b_bytes = element,
                      .c_bytes = element,
                      .accumulate = p.adds};
      stage_.step_ops.push_back(step_op(named(p.name), gemm, count * times));
    }
  }

  // A shard of the other side each: the square matrices are over the undivided side, even if that is the longer one.
  void in_shards(const LayerMatrix& m, const LayerMatrix& full) {
    const double ranks = static_cast<double>(ways(m)), steps = static_cast<double>(s_.job.muon.steps);
    const bool rows = m.split != Split::row;  // outputs are divided
    const double square = rows ? full.in : full.out, other = (rows ? full.out : full.in) / ranks;
    send("norm.all-reduce", CollectiveKind::all_reduce, kUpdateWord, group(m), owned(m), Purpose::tp);
    send("gram.all-reduce", CollectiveKind::all_reduce, kHalf * square * square, group(m), owned(m) * steps,
         Purpose::tp);
    products(square, other, owned(m));
  }

  void gather(const LayerMatrix& m, const LayerMatrix& full) {
    if (units_ > 1)
      send("all-gather-units", CollectiveKind::all_gather, kUpdateWord * m.in * m.out,
           routed_ ? expert_shard_group(s_) : shard_group(s_), owned(m), Purpose::fsdp);
    if (tensor_of(m) > 1)
      send("all-gather", CollectiveKind::all_gather, kUpdateWord * full.in * full.out, tensor_ranks(), owned(m),
           Purpose::tp);
  }

  // There and back: what all of a rank's shards are.
  void exchange() {
    if (sent_ == 0) return;
    LayerMatrix any;
    any.split = Split::column;
    for (const char* what : {"all-to-all", "all-to-all-back"})
      send(what, CollectiveKind::all_to_all, sent_, group(any), 1, Purpose::tp);
  }

  Group tensor_ranks() const { return routed_ ? expert_tensor_group(s_) : tensor_group(s_); }
  // Tensor ranks are the nearest neighbours, those of their shard group the next.
  Group group(const LayerMatrix& m) const {
    if (units_ == 1) return tensor_ranks();
    if (tensor_of(m) == 1) return routed_ ? expert_shard_group(s_) : shard_group(s_);
    return make_group(s_, ways(m), stride_of(s_, routed_ ? &Degrees::etp : &Degrees::tp));
  }

  void send(const char* what, CollectiveKind kind, double bytes, const Group& group, double count, Purpose purpose) {
    WorkOp w = step_op(named(what), Collective{.kind = kind, .bytes = {bytes}, .group = group}, count);
    w.purpose = purpose;
    w.routed = routed_;
    stage_.step_ops.push_back(std::move(w));
  }

  const Scenario& s_;
  const OptimizerRow& row_;
  bool routed_;
  StageClass& stage_;
  Precision precision_;
  int64_t tensor_ = 1, units_ = 1, owners_ = 1;
  double owned_ = 1, home_ = 1;  // shares of all matrices
  double sent_ = 0;              // bytes of layer-sharded matrices
};

// The largest logit of each head goes to all data ranks; the weights of heads whose logits grow are scaled.
void clip(const Scenario& s, const OptimizerRow& row, const std::vector<LayerMatrix>& matrices, StageClass& c) {
  std::vector<LayerMatrix> clipped = matrices;
  std::erase_if(clipped, [](const LayerMatrix& m) { return !m.clipped; });
  const Parameters all = parameters_of(clipped);
  const double elements = s.parallelism.zero >= 1 ? sharded(s, all) : all.sum();
  const double copy = s.software.memory.weight < kUpdateWord ? kHalf : 0;
  const double heads = static_cast<double>(s.model.heads) / static_cast<double>(s.parallelism.tp);
  WorkOp most = step_op(Label::of(row.name) + ".largest-logits", Collective{.kind = CollectiveKind::all_reduce,
                                                                            .bytes = {kUpdateWord * c.layers * heads},
                                                                            .group = data_group(s)});
  most.purpose = Purpose::dp;
  if (data_group(s).ranks > 1) c.step_ops.push_back(std::move(most));
  c.step_ops.push_back(step_op(
      Label::of(row.name) + ".scale-heads",
      Vector{.elements = elements, .read = {kUpdateWord * elements}, .written = {(kUpdateWord + copy) * elements}}));
}

}  // namespace

WorkOp step_op(const Label& name, operator_models::Operator op, double count) {
  return {.name = name,
          .phase = StepPhase::optimizer,
          .sublayer = Sublayer::optimizer,
          .op = std::move(op),
          .count = count};
}

void update_matrices(const Scenario& s, const OptimizerRow& row, const std::vector<LayerMatrix>& matrices,
                     StageClass& c) {
  for (const bool routed : {false, true}) MatrixFamily(s, row, routed, c).run(matrices);
  if (row.clips) clip(s, row, matrices, c);
}

}  // namespace planner
