// GEMMs and the collectives of their outputs: which are joined, the operators behind them, and unchanged ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <tuple>

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
    const auto& said = gemm;
    CAPTURE(said);
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
}

// Section 8.6.1: the address space maps the rows of each rank to that rank, of several experts as of one.
TEST_CASE("several experts of a rank write what is sent back as well: no kernel sorts it") {
  const auto layer = [](const Sets& more) {
    return mixtures::expert_layer(workload(mixtures::mixture(kAdds + Sets{"parallelism.ep=8"} + more)));
  };
  const Block none = layer({"software.fused_collectives=none"}), t3 = layer({"software.fused_collectives=t3"});
  CHECK(t3.ops.size() == none.ops.size() - 2);  // what sorted results and gradients of inputs
  for (const auto& [exchange, gemm, phase] :
       {std::tuple{"experts.combine", "experts.fc2", StepPhase::forward},
        {"experts.dispatch-gradient", "experts.fc1.dgrad", StepPhase::backward}}) {
    const WorkOp joined = only(t3.ops, exchange, phase), before = only(none.ops, exchange, phase);
    CHECK(joined.hide == Hide::fused);
    REQUIRE(joined.cover >= 0);
    CHECK(t3.ops[static_cast<size_t>(joined.cover)].name.str() == gemm);
    CHECK(sample::collective(joined).bytes == sample::collective(before).bytes);
  }
  CHECK(moved(t3, CollectiveKind::all_to_all) == moved(none, CollectiveKind::all_to_all));
  CHECK(only(t3.ops, "experts.dispatch").hide == Hide::nothing);
  CHECK(sample::named(t3.ops, "experts.sort").size() == 1);    // forward, of what comes
  CHECK(sample::named(t3.ops, "experts.unsort").size() == 1);  // backward, likewise
}

TEST_CASE("a kernel that sorts stays where software shares the device, or copies of a rank are summed before they go") {
  const auto hidden = [](const Sets& more) {
    const Workload w = workload(mixtures::mixture(kAdds + Sets{"parallelism.ep=8"} + more));
    return only(mixtures::expert_layer(w).ops, "experts.combine").hide;
  };
  CHECK(hidden({"software.fused_collectives=ideal"}) == Hide::nothing);
  CHECK(hidden({"software.fused_collectives=t3", "software.experts.dispatch=per-node"}) == Hide::nothing);
  for (const char* more : {"software.experts.grouped=false", "software.experts.permute=false"})
    CHECK(hidden({"software.fused_collectives=t3", more}) == Hide::fused);
  CHECK(
      planner::graph_faults(workload(mixtures::mixture(kAdds + Sets{"parallelism.ep=8", "software.fused_collectives=t3",
                                                                    "parallelism.recompute=full"})))
          .empty());
}
