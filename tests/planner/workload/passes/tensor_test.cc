// Tensor and sequence parallelism: shapes, weights, saved activations and collectives of a layer.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "tests/planner/sample.h"

using operator_models::CollectiveKind;
using planner::Block;
using planner::StepPhase;
using planner::Workload;
using planner::WorkOp;
using sample::gpt;
using sample::llama;
using sample::Sets;
using sample::workload;

namespace {

Sets tensor(int64_t tp, bool sequence_parallel, const Sets& more = {}) {
  return sample::operator+({"parallelism.tp=" + std::to_string(tp),
                            std::string("parallelism.sequence_parallel=") + (sequence_parallel ? "true" : "false")},
                           more);
}

/// Calls of one kind in one phase of a block, and the bytes of each.
struct Calls {
  double count = 0, bytes = 0;
};
Calls calls(const Block& block, CollectiveKind kind, StepPhase phase) {
  Calls c;
  for (const WorkOp& op : block.ops) {
    const auto* made = std::get_if<operator_models::Collective>(&op.op);
    if (!made || made->kind != kind || op.phase != phase || op.sublayer == planner::Sublayer::data_parallel) continue;
    c.count += op.count;
    c.bytes = made->bytes.value;
  }
  return c;
}

double gemm_flops(const Block& block) {
  double sum = 0;
  for (const WorkOp& op : block.ops) sum += sample::gemm_flops(op);
  return sum;
}

constexpr double kTokens = 1024, kHidden = 1024;

}  // namespace

TEST_CASE("each doubling of tensor parallelism halves GEMMs, matrices and heads") {
  for (const bool sp : {false, true}) {
    for (int64_t tp : {2, 4, 8}) {
      CAPTURE(tp);
      CAPTURE(sp);
      const Workload one = workload(gpt({"parallelism.microbatch=1"})), many = workload(gpt(tensor(tp, sp)));
      const double by = static_cast<double>(tp);
      CHECK(gemm_flops(many.layer()) == gemm_flops(one.layer()) / by);
      CHECK(gemm_flops(many.head()) == gemm_flops(one.head()) / by);
      // 12 h^2 in matrices and 7 h in column biases are divided; 2 h of row biases and 4 h of norms are not.
      CHECK(many.layer().parameters() == (12 * kHidden * kHidden + 7 * kHidden) / by + 6 * kHidden);
      const operator_models::Gemm score = sample::gemm(sample::only(many.layer().ops, "attention.score"));
      CHECK(score.batch == 16 / tp);
      CHECK(sample::gemm(sample::only(many.layer().ops, "attention.qkv")).m == 3 * 1024 / tp);
      CHECK(sample::gemm(sample::only(many.layer().ops, "mlp.fc2")).k == 4096 / tp);
    }
  }
}

TEST_CASE("norms, dropout and residuals are divided by sequence parallelism only") {
  for (const bool sp : {false, true}) {
    const Workload w = workload(gpt(tensor(4, sp)));
    for (const char* name : {"attention.norm", "mlp.norm", "attention.dropout-add", "mlp.dropout-add"}) {
      CAPTURE(name);
      const auto v = std::get<operator_models::Vector>(sample::only(w.layer().ops, name).op);
      CHECK(v.elements == kTokens * kHidden / (sp ? 4 : 1));
    }
    const auto inner = std::get<operator_models::Vector>(sample::only(w.layer().ops, "mlp.activation").op);
    CHECK(inner.elements == kTokens * 4096 / 4);
  }
}

TEST_CASE("without sequence parallelism a layer has two all-reduces forward and two backward") {
  const Workload w = workload(gpt(tensor(4, false)));
  for (StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
    const Calls c = calls(w.layer(), CollectiveKind::all_reduce, phase);
    CHECK(c.count == 2);
    CHECK(c.bytes == 2 * kTokens * kHidden);
    CHECK(calls(w.layer(), CollectiveKind::all_gather, phase).count == 0);
    CHECK(calls(w.layer(), CollectiveKind::reduce_scatter, phase).count == 0);
  }
  CHECK(calls(w.layer(), CollectiveKind::all_reduce, StepPhase::recompute).count == 0);
}

TEST_CASE("full recompute repeats the two forward all-reduces: six in all") {
  const Workload w = workload(gpt(tensor(4, false, {"parallelism.recompute=full"})));
  double all = 0;
  for (StepPhase phase : {StepPhase::forward, StepPhase::backward, StepPhase::recompute})
    all += calls(w.layer(), CollectiveKind::all_reduce, phase).count;
  CHECK(all == 6);
  CHECK(calls(w.layer(), CollectiveKind::all_reduce, StepPhase::recompute).count == 2);
}

TEST_CASE("sequence parallelism: two pairs forward, two backward and two more all-gathers backward") {
  for (const Sets& more : {Sets{}, Sets{"parallelism.recompute=full"}, Sets{"parallelism.recompute=selective"}}) {
    const Workload w = workload(gpt(tensor(4, true, more)));
    CHECK(calls(w.layer(), CollectiveKind::all_gather, StepPhase::forward).count == 2);
    CHECK(calls(w.layer(), CollectiveKind::reduce_scatter, StepPhase::forward).count == 2);
    CHECK(calls(w.layer(), CollectiveKind::all_gather, StepPhase::backward).count == 4);
    CHECK(calls(w.layer(), CollectiveKind::reduce_scatter, StepPhase::backward).count == 2);
    CHECK(calls(w.layer(), CollectiveKind::all_gather, StepPhase::backward).bytes == 2 * kTokens * kHidden);
    CHECK(calls(w.layer(), CollectiveKind::all_reduce, StepPhase::forward).count == 0);
    const double repeated = more == Sets{"parallelism.recompute=full"} ? 2 : 0;
    CHECK(calls(w.layer(), CollectiveKind::all_gather, StepPhase::recompute).count == repeated);
    CHECK(calls(w.layer(), CollectiveKind::reduce_scatter, StepPhase::recompute).count == repeated);
  }
}

TEST_CASE("attention and MLP side by side share one all-reduce each way") {
  const Workload w = workload(gpt(tensor(4, false, {"model.parallel_block=true"})));
  CHECK(calls(w.layer(), CollectiveKind::all_reduce, StepPhase::forward).count == 1);
  CHECK(calls(w.layer(), CollectiveKind::all_reduce, StepPhase::backward).count == 1);
}

TEST_CASE(
    "the vocabulary is divided: embedding reduced, head's input gradient reduced, three small exchanges of the loss") {
  const Workload plain = workload(gpt(tensor(4, false))), sequence = workload(gpt(tensor(4, true)));
  CHECK(plain.embedding().parameters() == 51200 * kHidden / 4 + 1024 * kHidden);
  CHECK(calls(plain.embedding(), CollectiveKind::all_reduce, StepPhase::forward).count == 1);
  CHECK(calls(plain.embedding(), CollectiveKind::all_reduce, StepPhase::backward).count == 0);
  CHECK(calls(sequence.embedding(), CollectiveKind::reduce_scatter, StepPhase::forward).count == 1);
  CHECK(calls(sequence.embedding(), CollectiveKind::all_gather, StepPhase::backward).count == 1);
  const Calls loss = calls(plain.head(), CollectiveKind::all_reduce, StepPhase::forward);
  CHECK(loss.count == 3);
  CHECK(loss.bytes == 4 * kTokens);
  CHECK(calls(plain.head(), CollectiveKind::all_reduce, StepPhase::backward).count == 1);
  CHECK(calls(sequence.head(), CollectiveKind::all_gather, StepPhase::forward).count == 1);
  CHECK(calls(sequence.head(), CollectiveKind::all_gather, StepPhase::backward).count == 1);
  CHECK(calls(sequence.head(), CollectiveKind::reduce_scatter, StepPhase::backward).count == 1);
}

TEST_CASE("bytes of a collective follow microbatch and sequence, not the degree") {
  for (int64_t tp : {2, 8}) {
    const Workload w = workload(gpt(tensor(tp, false, {"parallelism.microbatch=4", "job.sequence=512"})));
    CHECK(calls(w.layer(), CollectiveKind::all_reduce, StepPhase::forward).bytes == 2 * 4 * 512 * kHidden);
    CHECK(sample::collective(sample::only(w.layer().ops, "mlp.fc2.all-reduce")).group.ranks == tp);
  }
}

TEST_CASE("more tensor ranks than key/value heads: each rank holds a copy of one head") {
  const Workload four = workload(llama(tensor(4, true))), eight = workload(llama(tensor(8, true)));
  const auto head = [](const Workload& w) {
    return std::get<operator_models::Attention>(sample::only(w.layer().ops, "attention.fused").op);
  };
  CHECK(head(four).kv_heads == 1);
  CHECK(head(eight).kv_heads == 1);
  CHECK(head(four).heads == 4);
  CHECK(head(eight).heads == 2);
  CHECK(sample::gemm(sample::only(eight.layer().ops, "attention.qkv")).m == (16 + 2 * 8) * 64 / 8);
}

TEST_CASE("every collective that hides has an operator of its block to hide under") {
  for (const Sets& more : {Sets{}, Sets{"software.overlap.tensor=true"}, Sets{"parallelism.recompute=full"},
                           Sets{"software.fusion.qkv=false"}}) {
    for (const bool sp : {false, true}) {
      const Workload w = workload(gpt(tensor(4, sp, more)));
      for (const Block* block : {&w.embedding(), &w.layer(), &w.head()})
        for (const WorkOp& op : block->ops) {
          if (op.hide != planner::Hide::cover) continue;
          CAPTURE(op.name);
          REQUIRE(op.cover >= 0);
          REQUIRE(op.cover < static_cast<int>(block->ops.size()));
          CHECK(std::holds_alternative<operator_models::Gemm>(block->ops[static_cast<size_t>(op.cover)].op));
        }
    }
  }
}

TEST_CASE("the input gradient's collective hides under the weight gradient of the same layer") {
  const Workload w = workload(gpt(tensor(4, true)));
  for (const char* layer : {"attention.qkv", "mlp.fc1"}) {
    const std::string name = layer;
    const WorkOp reduce = sample::only(w.layer().ops, name + ".dgrad.reduce-scatter", StepPhase::backward);
    const WorkOp gather = sample::only(w.layer().ops, name + ".dgrad.all-gather-input", StepPhase::backward);
    CHECK(w.layer().ops[static_cast<size_t>(reduce.cover)].name == name + ".wgrad");
    CHECK(w.layer().ops[static_cast<size_t>(gather.cover)].name == name + ".dgrad");
  }
  const Workload blocking = workload(gpt(tensor(4, true, {"software.overlap.tensor_backward=false"})));
  for (const WorkOp& op : blocking.layer().ops) CHECK(op.hide == planner::Hide::nothing);
}
