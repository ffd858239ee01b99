// Every kind of layers of the catalogue: what it holds, computes and keeps, whole and divided.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "dsl/catalog.h"
#include "operator_models/scan_work.h"
#include "planner/plan/ops.h"
#include "planner/scenario/vocabulary.h"
#include "tests/planner/sample.h"

using planner::Block;
using planner::StepPhase;
using planner::Workload;
using planner::WorkOp;

namespace {

std::vector<std::string> kinds() {
  return dsl::catalog_names({.builtin = planner::builtin_catalog(), .directories = {}}, "layer");
}

/// Two layers of one kind, of a small mixture.
planner::Scenario of_kind(const std::string& kind, std::vector<std::string> sets = {}) {
  sets.insert(sets.begin(), {"job.global_batch=16", "parallelism.microbatch=2"});
  return sample::scenario(
      "model: {layers: 2, hidden: 1024, ffn: 4096, heads: 16, kv_heads: 8, vocab: 32000, bias: false, norm: rmsnorm,\n"
      "  experts: {count: 8, top_k: 2, ffn: 512}, pattern: Zx2, kinds: [{use: " +
          kind +
          ", letter: Z}]}\n"
          "job: {sequence: 2048}\ncluster: {use: dgx-h100, gpus: 8}\nsoftware: {use: megatron-core}\n",
      sets);
}

double weights(const Block& block) {
  double sum = 0;
  for (const planner::Weight& w : block.weights) sum += w.parameters;
  return sum;
}

double scan_flops(const Block& block, StepPhase phase) {
  double sum = 0;
  for (const WorkOp& op : block.ops)
    if (const auto* scan = std::get_if<operator_models::Scan>(&op.op); scan && op.phase == phase) {
      const operator_models::ScanWork work = operator_models::scan_work(*scan);
      sum += work.matrix_flops + work.vector_flops;
    }
  return sum;
}

double gemm_flops(const Block& block, StepPhase phase) {
  double sum = 0;
  for (const WorkOp& op : block.ops)
    if (op.phase == phase) sum += sample::gemm_flops(op);
  return sum;
}

}  // namespace

TEST_CASE("a layer of each kind holds what its kind counts") {
  CHECK(kinds().size() >= 15);
  for (const std::string& kind : kinds()) {
    CAPTURE(kind);
    const planner::Scenario s = of_kind(kind);
    const Workload w = planner::lower(s);
    REQUIRE(w.blocks.size() == 3);
    CHECK(weights(w.layer()) == doctest::Approx(planner::layer_parameters(s.model, w.layer().layer)).epsilon(1e-12));
  }
}

TEST_CASE("backward takes twice the products of forward") {
  for (const std::string& kind : kinds()) {
    CAPTURE(kind);
    const Workload w = planner::lower(of_kind(kind));
    CHECK(gemm_flops(w.layer(), StepPhase::backward) ==
          doctest::Approx(2 * gemm_flops(w.layer(), StepPhase::forward)).epsilon(1e-9));
    if (const double forward = scan_flops(w.layer(), StepPhase::forward); forward > 0)
      CHECK(scan_flops(w.layer(), StepPhase::backward) > forward);
  }
}

TEST_CASE("context ranks share a recurrence, and pass states on") {
  for (const std::string& kind : kinds()) {
    CAPTURE(kind);
    const Workload whole = planner::build_blocks(of_kind(kind));
    const Workload piece = planner::build_blocks(of_kind(kind, {"parallelism.cp=2"}));
    const double all = scan_flops(whole.layer(), StepPhase::forward);
    CHECK(2 * scan_flops(piece.layer(), StepPhase::forward) == doctest::Approx(all).epsilon(1e-9));
    const auto passes = std::ranges::count(piece.layer().ops, planner::Role::state_transfer, &WorkOp::role);
    CHECK(passes == (all > 0 ? 2 : 0));
  }
}

TEST_CASE("tensor ranks share heads and channels of every kind") {
  for (const std::string& kind : kinds()) {
    if (kind == "mamba1") continue;  // one head of keys, which tensor ranks do not divide
    CAPTURE(kind);
    const std::vector<std::string> two{"parallelism.tp=2", "parallelism.sequence_parallel=true"};
    const Workload whole = planner::build_blocks(of_kind(kind)), part = planner::build_blocks(of_kind(kind, two));
    CHECK(2 * scan_flops(part.layer(), StepPhase::forward) ==
          doctest::Approx(scan_flops(whole.layer(), StepPhase::forward)).epsilon(1e-9));
    CHECK(part.layer().saved_bytes() < 0.75 * whole.layer().saved_bytes());
  }
}

TEST_CASE("full recompute keeps a layer's input alone, whatever its kind") {
  for (const std::string& kind : kinds()) {
    CAPTURE(kind);
    const Workload w = planner::build_blocks(of_kind(kind, {"parallelism.recompute=full"}));
    CHECK(w.layer().saved_bytes() == doctest::Approx(w.layer().input_bytes));
    CHECK(w.layer().recompute_working_set > 0);
  }
}

TEST_CASE("a doubled sequence doubles a recurrence, and quadruples attention to all keys") {
  for (const std::string& kind : kinds()) {
    CAPTURE(kind);
    const planner::Scenario s = of_kind(kind);
    const auto flops = [&](double sequence) {
      planner::Model m = s.model;
      return planner::forward_flops(m, sequence, sequence, true);
    };
    const double growth = flops(65536) / flops(32768);
    const planner::LayerRow& row = s.model.kinds.front();
    const bool grows = row.mixer == planner::Mixer::attention;
    if (row.indexer.heads > 0) CHECK(growth > 2);  // by its scores alone
    else CHECK((growth > 2.01) == grows);
  }
}

TEST_CASE("tensor ranks gather the whole input of every recurrent mixer, once") {
  for (const std::string& kind : kinds()) {
    const planner::Scenario s = of_kind(kind, {"parallelism.tp=2", "parallelism.sequence_parallel=true"});
    if (s.model.kinds.front().mixer != planner::Mixer::steps || kind == "mamba1") continue;
    CAPTURE(kind);
    const Workload w = planner::build_blocks(s);
    const double whole = 2.0 * 2 * 2048 * 1024;  // bytes of an element, microbatch, sequence, hidden
    int64_t gathers = 0;
    for (const WorkOp& op : w.layer().ops)
      if (const auto* c = std::get_if<operator_models::Collective>(&op.op);
          c && op.phase == StepPhase::forward && op.sublayer == planner::Sublayer::mixer &&
          c->kind == operator_models::CollectiveKind::all_gather && c->bytes.value == whole)
        ++gathers;
    CHECK(gathers == 1);
  }
}

TEST_CASE("context ranks share chosen keys and the choice") {
  for (const std::string kind : {"sparse-attention", "block-sparse-attention", "compressed-attention"}) {
    CAPTURE(kind);
    const std::vector<std::string> small{"model.kinds[0].indexer.top_k=4"};
    const auto pairs = [](const Workload& w) {
      double sum = 0;
      for (const WorkOp& op : w.layer().ops)
        if (const auto* a = std::get_if<operator_models::Attention>(&op.op); a && op.phase == StepPhase::forward)
          sum += op.count * static_cast<double>(a->queries * a->selected);
      return sum;
    };
    const Workload whole = planner::build_blocks(of_kind(kind, small));
    const Workload piece = planner::build_blocks(of_kind(kind, {small[0], "parallelism.cp=2"}));
    CHECK(2 * pairs(piece) == doctest::Approx(pairs(whole)).epsilon(0.01));
    for (const WorkOp& op : piece.layer().ops)
      if (const auto* choice = std::get_if<operator_models::Selection>(&op.op)) CHECK(choice->queries == 1024);
  }
}

TEST_CASE("stages hand on every residual stream") {
  const auto sent = [](const char* streams) {
    return planner::build_workload(
               of_kind("block", {"parallelism.pp=2", std::string("model.kinds[0].streams=") + streams}))
        .boundary.bytes.value;
  };
  CHECK(sent("4") == 4 * sent("1"));
}

TEST_CASE("model FLOPs of a layer that chooses keys count those that its kernel reads") {
  struct Chooses {
    const char *kind, *set;
    double keys;
  };
  for (const Chooses& row : {Chooses{"compressed-attention", "compression=4", 8192 + 128},
                             Chooses{"compressed-attention", "compression=128", 256 + 128},
                             Chooses{"sparse-attention", "indexer.top_k=512", 512}}) {
    CAPTURE(std::string(row.set));
    const planner::Scenario s = of_kind(row.kind, {std::string("model.kinds[0].") + row.set});
    CHECK(planner::attended_keys(s.model.kinds.front(), 65536, true) == row.keys);
  }
}
