// GEMMs and the collectives of what they write: which are joined, what stands behind them, what the pass leaves alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "planner/workload/check_graph.h"
#include "planner/workload/dump.h"
#include "tests/planner/sample.h"
#include "tests/planner/workload/lower/mixtures.h"

using operator_models::CollectiveKind;
using planner::Block;
using planner::Hide;
using planner::StepPhase;
using planner::Workload;
using planner::WorkOp;
using sample::gpt;
using sample::only;
using sample::Sets;
using sample::workload;
using sample::operator+;

namespace {

const Sets kAdds{"cluster.gpu.near_memory.op_and_store=2"};
Sets way(const std::string& word, const Sets& more = {}) {
  return kAdds + Sets{"software.fused_collectives=" + word, "parallelism.tp=4"} + more;
}

size_t fused(const Block& block) {
  return static_cast<size_t>(std::ranges::count(block.ops, Hide::fused, &WorkOp::hide));
}

double moved(const Block& block, CollectiveKind kind) {
  double bytes = 0;
  for (const WorkOp& op : block.ops) {
    const auto* c = std::get_if<operator_models::Collective>(&op.op);
    if (c && c->kind == kind) bytes += op.count * c->bytes.value;
  }
  return bytes;
}

}  // namespace

TEST_CASE("an all-reduce becomes a reduce-scatter in its GEMM and an all-gather behind it") {
  const Workload before = workload(gpt({"parallelism.tp=4"})), w = workload(gpt(way("t3")));
  const auto& ops = w.layer().ops;
  CHECK(fused(w.layer()) == 4);
  for (const auto& [gemm, phase] : {std::pair{"attention.projection", StepPhase::forward},
                                    {"mlp.fc2", StepPhase::forward},
                                    {"mlp.fc1.dgrad", StepPhase::backward},
                                    {"attention.qkv.dgrad", StepPhase::backward}}) {
    CAPTURE(gemm);
    const WorkOp scatter = only(ops, std::string(gemm) + ".reduce-scatter", phase);
    const WorkOp gather = only(ops, std::string(gemm) + ".all-gather", phase);
    const WorkOp whole = only(before.layer().ops, std::string(gemm) + ".all-reduce", phase);
    REQUIRE(scatter.cover >= 0);
    CHECK(ops[static_cast<size_t>(scatter.cover)].name.str() == gemm);
    CHECK(std::ranges::count(scatter.inputs, scatter.cover) == 1);
    REQUIRE(gather.inputs.size() == 1);
    CHECK(ops[static_cast<size_t>(gather.inputs[0])].name == scatter.name);
    CHECK(sample::collective(scatter).bytes == sample::collective(whole).bytes);
    CHECK(sample::collective(gather).bytes == sample::collective(whole).bytes);
    CHECK(gather.result == whole.result);
    CHECK_FALSE(scatter.result);
  }
  CHECK(moved(w.layer(), CollectiveKind::all_reduce) == 0);
  CHECK(moved(w.layer(), CollectiveKind::reduce_scatter) == moved(before.layer(), CollectiveKind::all_reduce));
}

TEST_CASE("the second half hides where the all-reduce did, but not in the GEMM that has to be over") {
  const auto gather = [](const Sets& more) {
    return only(workload(gpt(way("t3", more))).layer().ops, "mlp.fc1.dgrad.all-gather", StepPhase::backward);
  };
  CHECK(gather({"software.overlap.tensor_backward=true"}).hide == Hide::cover);
  CHECK(gather({"software.overlap.tensor_backward=false"}).hide == Hide::nothing);
  CHECK(gather({"software.overlap.tensor_backward=false", "software.overlap.tensor=true"}).hide == Hide::nothing);
}

TEST_CASE("with sequence parallelism the reduce-scatters that are there are joined, and nothing is put in") {
  const Sets sp{"parallelism.sequence_parallel=true"};
  const Workload before = workload(gpt(Sets{"parallelism.tp=4"} + sp)), w = workload(gpt(way("t3-mca", sp)));
  CHECK(w.layer().ops.size() == before.layer().ops.size());
  CHECK(fused(w.layer()) == 4);
  for (const WorkOp& op : w.layer().ops) {
    if (op.hide != Hide::fused) continue;
    CHECK(sample::collective(op).kind == CollectiveKind::reduce_scatter);
    CHECK(std::holds_alternative<operator_models::Gemm>(w.layer().ops[static_cast<size_t>(op.cover)].op));
  }
}

TEST_CASE("with compute units of its own an all-reduce stays whole") {
  const Workload before = workload(gpt({"parallelism.tp=4"})), w = workload(gpt(way("cu-split")));
  CHECK(w.layer().ops.size() == before.layer().ops.size());
  CHECK(fused(w.layer()) == 4);
  CHECK(moved(w.layer(), CollectiveKind::all_reduce) == moved(before.layer(), CollectiveKind::all_reduce));
}

TEST_CASE("what no GEMM writes is left alone: the embedding's rows and the loss") {
  const Workload before = workload(gpt({"parallelism.tp=4"})), w = workload(gpt(way("t3")));
  CHECK(fused(w.embedding()) == 0);
  CHECK(moved(w.embedding(), CollectiveKind::all_reduce) == moved(before.embedding(), CollectiveKind::all_reduce));
  const WorkOp loss = only(w.head().ops, "head.loss.all-reduce");
  CHECK(loss.hide == Hide::nothing);
}

TEST_CASE("without it, and without tensor ranks, the workload is the same to the last byte") {
  const std::string none = planner::dump(workload(gpt({"parallelism.tp=4"})));
  CHECK(planner::dump(workload(gpt({"parallelism.tp=4", "software.fused_collectives=none"}))) == none);
  CHECK(planner::dump(workload(gpt(kAdds + Sets{"software.fused_collectives=t3"}))) == planner::dump(workload(gpt())));
}

TEST_CASE("recomputation repeats GEMM and reduce-scatter together, or neither hides in the other") {
  for (const char* recompute : {"full", "selective"}) {
    const Workload w = workload(gpt(way("t3", {std::string("parallelism.recompute=") + recompute})));
    CHECK(planner::graph_faults(w).empty());
    for (const WorkOp& op : w.layer().ops) {
      if (op.hide != Hide::fused) continue;
      CHECK(w.layer().ops[static_cast<size_t>(op.cover)].phase == op.phase);
    }
  }
}

TEST_CASE(
    "an exchange that the GEMM of the experts writes is joined with it, one that a sorting kernel writes is not") {
  const auto layer = [](const char* ep) {
    return mixtures::expert_layer(workload(mixtures::mixture(kAdds + Sets{"software.fused_collectives=t3", ep})));
  };
  const Block alone = layer("parallelism.ep=16");  // an expert a rank: nothing is sorted behind it
  const WorkOp combine = only(alone.ops, "experts.combine");
  CHECK(combine.hide == Hide::fused);
  REQUIRE(combine.cover >= 0);
  CHECK(alone.ops[static_cast<size_t>(combine.cover)].name == "experts.fc2");
  CHECK(sample::collective(combine).kind == CollectiveKind::all_to_all);
  CHECK(only(alone.ops, "experts.dispatch").hide == Hide::nothing);
  CHECK(only(layer("parallelism.ep=8").ops, "experts.combine").hide == Hide::nothing);
}
