// Products of an optimizer over matrices that a test makes itself: odd sides, modes of Muon by ranks, routed experts.
#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

#include "planner/workload/passes/matrix_update.h"
#include "tests/planner/sample.h"
#include "tests/planner/workload/lower/mixtures.h"

using planner::LayerMatrix;
using planner::Scenario;
using planner::Split;
using planner::StageClass;
using planner::WorkOp;
using sample::operator+;
using sample::Sets;

namespace {

StageClass updated(const Scenario& s, const std::vector<LayerMatrix>& matrices) {
  StageClass c;
  c.layers = 3;
  planner::update_matrices(s, planner::row_of(s.job.optimizer), matrices, c);
  return c;
}

double flops(const StageClass& c) {
  double sum = 0;
  for (const WorkOp& op : c.step_ops) sum += sample::gemm_flops(op);
  return sum;
}

double bytes(const StageClass& c, std::string_view name) {
  double sum = 0;
  for (const WorkOp& op : sample::named(c.step_ops, name)) sum += op.count * sample::collective(op).bytes.value;
  return sum;
}
/// Of everything that is sent, whatever its name.
double all_bytes(const StageClass& c) {
  double sum = 0;
  for (const WorkOp& op : c.step_ops)
    if (const auto* sent = std::get_if<operator_models::Collective>(&op.op)) sum += op.count * sent->bytes.value;
  return sum;
}

double newton_schulz(double a, double b) {
  const double m = std::min(a, b), n = std::max(a, b);
  return 5 * (4 * m * m * n + 2 * m * m * m);
}
/// The square is over a side that is not divided.
double over_whole_side(double square, double part) {
  return 5 * (4 * square * square * part + 2 * square * square * square);
}

Sets tensor(int64_t ranks, const std::string& mode) {
  return {"job.optimizer=muon", "job.muon.mode=" + mode, "parallelism.tp=" + std::to_string(ranks)};
}

}  // namespace

TEST_CASE("modes of Muon by ranks and by the side that they divide: products and bytes by formula") {
  for (const double ranks : {1.0, 2.0, 4.0})
    for (const Split split : {Split::column, Split::row, Split::none, Split::sequence})
      for (const double count : {1.0, 3.0, 5.0}) {
        const LayerMatrix m{.in = 48, .out = 20, .count = count, .split = split};
        const double ways = split == Split::row || split == Split::column ? ranks : 1;
        const bool rows = split == Split::row;
        const double in = rows ? 48 * ways : 48, out = rows ? 20 : 20 * ways;
        const double square = rows ? out : in, part = rows ? 48 : 20;
        const auto of = [&](const char* mode) {
          return updated(sample::llama(tensor(static_cast<int64_t>(ranks), mode)), {m});
        };
        CAPTURE(ranks);
        CAPTURE(static_cast<int>(split));
        CAPTURE(count);
        const StageClass duplicated = of("duplicated"), blockwise = of("blockwise"), sharded = of("layer-sharded"),
                         distributed = of("distributed");
        if (ways == 1) {
          for (const StageClass* c : {&duplicated, &blockwise, &sharded, &distributed}) {
            CHECK(flops(*c) == doctest::Approx(count * newton_schulz(48, 20)));
            CHECK(all_bytes(*c) == 0);
          }
          continue;
        }
        CHECK(flops(duplicated) == doctest::Approx(count * newton_schulz(in, out)));
        CHECK(bytes(duplicated, "muon.all-gather") == 4 * count * in * out);
        CHECK(all_bytes(duplicated) == 4 * count * in * out);
        CHECK(flops(blockwise) == doctest::Approx(count * newton_schulz(48, 20)));
        CHECK(all_bytes(blockwise) == 0);
        CHECK(flops(sharded) == doctest::Approx(std::ceil(count / ways) * newton_schulz(in, out)));
        CHECK(bytes(sharded, "muon.all-to-all") == 4 * count * 48 * 20);
        CHECK(all_bytes(sharded) == 2 * 4 * count * 48 * 20);
        CHECK(flops(distributed) == doctest::Approx(count * over_whole_side(square, part)));
        CHECK(bytes(distributed, "muon.gram.all-reduce") == count * 5 * 2 * square * square);
        CHECK(bytes(distributed, "muon.norm.all-reduce") == 4 * count);
      }
}

TEST_CASE("odd sides are whole numbers of at least one in each product") {
  struct Odd {
    double in, out;
    int64_t small, large;
  };
  for (const Odd& odd :
       {Odd{33, 65, 33, 65}, {65, 33, 33, 65}, {1, 7, 1, 7}, {16.5, 40, 17, 40}, {16.4, 40, 16, 40}, {0.25, 3, 1, 3}}) {
    CAPTURE(odd.in);
    const StageClass c = updated(sample::llama({"job.optimizer=muon", "job.muon.steps=3"}),
                                 {{.in = odd.in, .out = odd.out, .count = 2}});
    REQUIRE(c.step_ops.size() == 3);
    for (const auto& [name, n, k] : {std::tuple{"muon.gram", odd.small, odd.large},
                                     {"muon.square", odd.small, odd.small},
                                     {"muon.product", odd.large, odd.small}}) {
      const WorkOp op = sample::only(c.step_ops, name, planner::StepPhase::optimizer);
      CHECK(op.count == 2 * 3);
      CHECK(sample::gemm(op).m == odd.small);
      CHECK(sample::gemm(op).n == n);
      CHECK(sample::gemm(op).k == k);
      CHECK(sample::gemm(op).accumulate == (std::string_view(name) != "muon.gram"));
      CHECK(sample::gemm(op).precision == planner::Precision::bf16);
      CHECK(sample::gemm(op).c_bytes == 2);
    }
  }
}

TEST_CASE("preconditioners of odd and long sides: none for one side, or those of each block") {
  const auto soap = [](double side, double other) {  // what belongs to the square over one side
    return 2 * side * side * other * 4 + (1 + 4.0 / 3) / 10 * 2 * side * side * side;
  };
  const auto shampoo = [](double side, double other) {
    return 2 * side * side * other * 2 + 4.5 / 100 * 2 * side * side * side;
  };
  const auto of = [](const char* optimizer, double in, double out) {
    return updated(sample::llama({std::string("job.optimizer=") + optimizer}), {{.in = in, .out = out, .count = 3}});
  };
  CHECK(flops(of("soap", 33, 65)) == doctest::Approx(3 * (soap(33, 65) + soap(65, 33))));
  CHECK(flops(of("soap", 10000, 7)) == doctest::Approx(3 * (soap(10000, 7) + soap(7, 10000))));
  CHECK(flops(of("soap", 7, 10001)) == doctest::Approx(3 * soap(7, 10001)));
  CHECK(flops(of("soap", 10001, 10001)) == 0);
  CHECK(flops(of("shampoo", 33, 65)) == doctest::Approx(3 * (shampoo(33, 65) + shampoo(65, 33))));
  CHECK(flops(of("shampoo", 24575, 7)) ==
        doctest::Approx(3 * 3 * (shampoo(24575.0 / 3, 7) + shampoo(7, 24575.0 / 3))).epsilon(1e-3));
  const StageClass soaps = of("soap", 33, 65);
  for (const WorkOp& op : soaps.step_ops) {
    CHECK(sample::gemm(op).precision == planner::Precision::tf32);
    CHECK(sample::gemm(op).a_bytes == 4);
  }
  // Ranks take a shard for the whole.
  const StageClass shard = updated(sample::llama({"job.optimizer=soap", "parallelism.tp=2"}),
                                   {{.in = 33, .out = 65, .count = 3, .split = Split::column}});
  CHECK(flops(shard) == doctest::Approx(flops(soaps)));
  CHECK(all_bytes(shard) == 0);
}

TEST_CASE("of whole matrices the fullest of eight data ranks has so many") {
  for (const double count : {1.0, 7.0, 8.0, 9.0, 17.0, 24.0})
    for (const char* zero : {"0", "1", "2"}) {
      CAPTURE(count);
      CAPTURE(zero);
      const Scenario s = sample::llama({"job.optimizer=muon", std::string("parallelism.zero=") + zero});
      const double dealt = *zero == '0' ? count : std::ceil(count / 8);
      CHECK(flops(updated(s, {{.in = 33, .out = 65, .count = count}})) ==
            doctest::Approx(dealt * newton_schulz(33, 65)));
      // Two shapes are dealt as one pile: each has its part of the fullest rank.
      const double both = *zero == '0' ? 1 : std::ceil((count + 1) / 8) / (count + 1);
      CHECK(flops(updated(s, {{.in = 33, .out = 65, .count = count}, {.in = 9, .out = 5, .count = 1}})) ==
            doctest::Approx(both * (count * newton_schulz(33, 65) + newton_schulz(9, 5))));
    }
}

TEST_CASE("matrices of routed experts have names and tensor ranks of their own") {
  const auto of = [](int64_t etp, const char* mode) {
    return updated(mixtures::mixture({"job.optimizer=muon", std::string("job.muon.mode=") + mode, "parallelism.tp=2",
                                      "parallelism.sequence_parallel=true", mixtures::set("parallelism.etp", etp)}),
                   {{.in = 48, .out = 20, .count = 3, .split = Split::column},
                    {.in = 10, .out = 30, .count = 2, .split = Split::row, .routed = true}});
  };
  for (const double etp : {1.0, 2.0, 4.0}) {
    CAPTURE(etp);
    const StageClass c = of(static_cast<int64_t>(etp), "duplicated");
    CHECK(bytes(c, "muon.all-gather") == 4 * 3 * 48 * 40);
    CHECK(bytes(c, "muon.experts.all-gather") == (etp > 1 ? 4 * 2 * 10 * etp * 30 : 0));
    CHECK(flops(c) == doctest::Approx(3 * newton_schulz(48, 40) + 2 * newton_schulz(10 * etp, 30)));
    for (const WorkOp& op : sample::named(c.step_ops, "muon.experts.all-gather")) CHECK(op.routed);
    const StageClass shards = of(static_cast<int64_t>(etp), "distributed");
    CHECK(bytes(shards, "muon.experts.gram.all-reduce") == (etp > 1 ? 2 * 5 * 2 * 30 * 30 : 0));
  }
}

TEST_CASE("qk-clip: the largest logits of a rank's heads, and its share of the clipped matrices alone") {
  struct Row {
    const char* set;
    double logits, share;
  };
  // Eight ranks that share tensors have no other rank's data to ask; eight data ranks share the update from ZeRO 1 on.
  for (const Row& row : {Row{"parallelism.tp=2", 4.0 * 3 * 8, 1},
                         {"parallelism.tp=8", 0, 1},
                         {"parallelism.zero=1", 4.0 * 3 * 16, 1.0 / 8}}) {
    CAPTURE(row.set);
    const StageClass c = updated(sample::llama({"job.optimizer=muon-clip", row.set}),
                                 {{.in = 48, .out = 20, .count = 3, .clipped = true}, {.in = 9, .out = 5, .count = 1}});
    CHECK(bytes(c, "muon-clip.largest-logits") == row.logits);
    const WorkOp scaled = sample::only(c.step_ops, "muon-clip.scale-heads", planner::StepPhase::optimizer);
    const auto& vector = std::get<operator_models::Vector>(scaled.op);
    CHECK(vector.elements == doctest::Approx(row.share * 3 * 48 * 20));
    CHECK(vector.read.value == doctest::Approx(4 * vector.elements));
    CHECK(vector.written.value == doctest::Approx((4 + 2) * vector.elements));
  }
}
