// Matrix products of Muon, SOAP and Shampoo, and what ranks send for them, counted by hand.
#include <doctest/doctest.h>

#include <map>

#include "planner/workload/matrices.h"
#include "tests/planner/sample.h"

using operator_models::Gemm;
using planner::StageClass;
using planner::StepPhase;
using planner::WorkOp;
using sample::llama;
using sample::operator+;
using sample::Sets;

namespace {

StageClass stage(const Sets& sets) { return sample::workload(llama(sets)).classes.front(); }

double flops(const StageClass& c) {
  double sum = 0;
  for (const WorkOp& op : c.step_ops) sum += sample::gemm_flops(op);
  return sum;
}

double sent(const StageClass& c, const std::string& name) {
  double sum = 0;
  for (const WorkOp& op : sample::named(c.step_ops, name)) sum += op.count * sample::collective(op).bytes.value;
  return sum;
}

// Of m x n, m <= n: X X^T, A A and a product back, five times.
double newton_schulz(double m, double n) { return 5 * (2 * m * m * n + 2 * m * m * m + 2 * m * m * n); }

// The layers of sample::kLlama: queries, keys, values, projection, gate and first matrix, second matrix.
constexpr double kH = 1024, kKv = 256, kF = 2816;
double of_all_layers() {
  return 8 *
         (2 * newton_schulz(kH, kH) + 2 * newton_schulz(kKv, kH) + newton_schulz(kH, 2 * kF) + newton_schulz(kH, kF));
}

const Sets kMuon{"job.optimizer=muon"}, kTensor{"job.optimizer=muon", "parallelism.tp=2"};
Sets mode(const std::string& word) { return kTensor + Sets{"job.muon.mode=" + word}; }

}  // namespace

TEST_CASE("Muon multiplies each matrix of a layer, the smaller side first; nothing else") {
  CHECK(flops(stage(kMuon)) == doctest::Approx(of_all_layers()));
  CHECK(flops(stage(kMuon + Sets{"job.muon.steps=10"})) == doctest::Approx(2 * of_all_layers()));
  CHECK(flops(stage({})) == 0);
  // A fused projection is taken apart (Megatron-LM: muon_split_qkv).
  CHECK(flops(stage(kMuon + Sets{"software.fusion.qkv=false"})) == doctest::Approx(of_all_layers()));
}

TEST_CASE("shares of two tensor ranks, by mode") {
  const auto distributed = [](double gram, double other) {  // the other side is divided
    return 5 * (2 * gram * gram * other / 2 + 2 * gram * gram * gram + 2 * gram * gram * other / 2);
  };
  const double in_shards =
      8 * (2 * distributed(kH, kH) + 2 * distributed(kH, kKv) + distributed(kH, 2 * kF) + distributed(kH, kF));
  const double blockwise = 8 * (2 * newton_schulz(kH / 2, kH) + 2 * newton_schulz(kKv / 2, kH) + newton_schulz(kH, kF) +
                                newton_schulz(kH, kF / 2));
  CHECK(flops(stage(mode("duplicated"))) == doctest::Approx(of_all_layers()));
  CHECK(flops(stage(mode("layer-sharded"))) == doctest::Approx(of_all_layers() / 2));
  CHECK(flops(stage(mode("distributed"))) == doctest::Approx(in_shards));
  CHECK(flops(stage(mode("blockwise"))) == doctest::Approx(blockwise));
}

TEST_CASE("what two tensor ranks send, by mode") {
  const double parameters = 8 * (2 * kH * kH + 2 * kKv * kH + 3 * kF * kH);
  CHECK(sent(stage(mode("duplicated")), "muon.all-gather") == doctest::Approx(4 * parameters));
  // Each of 8 layers has six matrices, whose Gram matrices are 1024 wide, in 16 bits.
  CHECK(sent(stage(mode("distributed")), "muon.gram.all-reduce") == doctest::Approx(8 * 6 * 5 * 2 * kH * kH));
  for (const char* way : {"muon.all-to-all", "muon.all-to-all-back"})
    CHECK(sent(stage(mode("layer-sharded")), way) == doctest::Approx(4 * parameters / 2));
  const StageClass blocks = stage(mode("blockwise"));
  for (const WorkOp& op : blocks.step_ops) CHECK(op.name.str().find("muon.all") == std::string::npos);
}

TEST_CASE("data ranks repeat all of it, or are dealt whole matrices: 48 among eight") {
  CHECK(flops(stage(kMuon + Sets{"parallelism.zero=1"})) == doctest::Approx(of_all_layers() / 8));
  CHECK(flops(stage(kMuon + Sets{"parallelism.zero=2"})) == doctest::Approx(of_all_layers() / 8));
  // FSDP's shards are gathered like those of tensor ranks.
  const StageClass units = stage(kMuon + Sets{"parallelism.zero=3", "software.fsdp=true"});
  CHECK(flops(units) == doctest::Approx(of_all_layers()));
  CHECK(sent(units, "muon.all-gather-units") > 0);
  // The fullest rank decides: 48 matrices among 32 ranks are two on the fullest.
  const double share = flops(stage(kMuon + Sets{"parallelism.zero=1", "cluster.gpus=32"})) / of_all_layers();
  CHECK(share == doctest::Approx(2.0 / 48));
}

TEST_CASE("Adam updates what is no matrix of a layer, Muon the rest") {
  const auto parameters = [](const Sets& sets, const char* name) {
    return std::get<operator_models::Update>(sample::only(stage(sets).step_ops, name, StepPhase::optimizer).op)
        .parameters;
  };
  const double all = parameters({}, "adam"), rest = parameters(kMuon, "adam"),
               matrices = parameters(kMuon, "muon.momentum");
  CHECK(rest + matrices == doctest::Approx(all));
  CHECK(rest == doctest::Approx(2 * 32000 * kH + 17 * kH));  // embedding, head, two norms a layer and the last
}

TEST_CASE("qk-clip scales the weights of queries and keys, and asks all data ranks for the largest logits") {
  const StageClass c = stage({"job.optimizer=muon-clip"});
  CHECK(flops(c) == doctest::Approx(of_all_layers()));
  const auto scaled =
      std::get<operator_models::Vector>(sample::only(c.step_ops, "muon-clip.scale-heads", StepPhase::optimizer).op);
  CHECK(scaled.elements == doctest::Approx(8 * (kH + kKv) * kH));
  CHECK(sent(c, "muon-clip.largest-logits") == doctest::Approx(4 * 8 * 16));
}

TEST_CASE("preconditioners: products of each step, factorisations at their interval") {
  // Of one step of m x n: three pairs of projections, two statistics, and a tenth of 1 + 4/3 square products a side.
  const auto soap = [](double m, double n) {
    const double pair = 2 * m * m * n + 2 * m * n * n;
    return 3 * pair + pair + (1 + 4.0 / 3) / 10 * (2 * m * m * m + 2 * n * n * n);
  };
  const auto shampoo = [](double m, double n) {
    const double pair = 2 * m * m * n + 2 * m * n * n;
    return pair + pair + 4.5 / 100 * (2 * m * m * m + 2 * n * n * n);
  };
  const auto all = [](const auto& of) { return 8 * (2 * of(kH, kH) + 2 * of(kKv, kH) + of(kH, 2 * kF) + of(kH, kF)); };
  CHECK(flops(stage({"job.optimizer=soap"})) == doctest::Approx(all(soap)));
  CHECK(flops(stage({"job.optimizer=shampoo"})) == doctest::Approx(all(shampoo)));
}

TEST_CASE("long sides have no preconditioner, or one for each block") {
  const planner::OptimizerRow &soap = planner::row_of(planner::Optimizer::soap),
                              &shampoo = planner::row_of(planner::Optimizer::shampoo);
  CHECK(planner::state_bytes(soap, 100, 200) == 8 * 100 * 200 + 8 * (100 * 100 + 200 * 200));
  CHECK(planner::state_bytes(soap, 100, 12000) == 8.0 * 100 * 12000 + 8 * 100 * 100);
  // 16384 = two blocks of 8192, each with a square of its own for both sides.
  CHECK(planner::state_bytes(shampoo, 100, 16384) == 8.0 * 100 * 16384 + 2 * 8 * (100.0 * 100 + 8192.0 * 8192));
}
