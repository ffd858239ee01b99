// Compute against communication: counts against the closed forms of Pati 2024, chapter 5, times against their parts.
#include "planner/plan/comm.h"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <numeric>

#include "planner/plan/fits.h"
#include "planner/studies/comm/region.h"
#include "tests/planner/sample.h"

namespace {

using planner::CommAnalysis;
using planner::Scenario;
using sample::Sets;

constexpr const char* kGrid = R"(
model: {layers: 2, hidden: 4096, heads: 'max(256, model.hidden / 128)', vocab: 1024, dropout: 0}
job: {sequence: 2048, global_batch: parallelism.microbatch * parallelism.dp, precision: fp16}
cluster: {use: mi210-flat-ring, gpus: parallelism.tp * parallelism.dp}
software: {use: pati-fused}
parallelism: {tp: 16, dp: 4, microbatch: 1}
)";

struct Point {
  int64_t hidden = 0, sequence = 0, tp = 0;
};
Sets at(const Point& p) {
  return {"model.hidden=" + std::to_string(p.hidden), "job.sequence=" + std::to_string(p.sequence),
          "parallelism.tp=" + std::to_string(p.tp)};
}
Scenario grid(const Point& p, const Sets& more = {}) { return sample::scenario(kGrid, sample::operator+(at(p), more)); }

TEST_CASE("the edge of an ungated 16-bit block is (9 H + 1.5 SL) / TP") {
  for (const Point p : {Point{1024, 1024, 4}, {4096, 8192, 64}, {18432, 2048, 64}, {65536, 4096, 256}})
    for (const char* software : {"pati-fused", "ddp-apex", "megatron-2021"}) {
      CAPTURE(p.hidden);
      CAPTURE(software);
      const CommAnalysis a = planner::analyse_comm(grid(p, {std::string("software={use: ") + software + "}"}));
      const double expected =
          (9.0 * static_cast<double>(p.hidden) + 1.5 * static_cast<double>(p.sequence)) / static_cast<double>(p.tp);
      CHECK(*a.algorithm.edge_flops_per_byte == doctest::Approx(expected).epsilon(1e-12));
    }
}

TEST_CASE("the slack of every matrix is 2 SL B") {
  for (const int64_t batch : {1, 4}) {
    const Scenario s = grid({8192, 2048, 8}, {"parallelism.microbatch=" + std::to_string(batch)});
    const planner::Algorithm a = planner::analyse_comm(s).algorithm;
    REQUIRE(a.layers.size() == 4);
    for (const planner::SlackRow& row : a.layers)
      CHECK(row.slack_flops_per_byte() == doctest::Approx(2.0 * 2048 * static_cast<double>(batch)).epsilon(1e-12));
  }
}

TEST_CASE("neither the mask nor what the software hides changes the counts") {
  const Scenario full = grid({4096, 2048, 8}, {"model.causal=false"});
  const Scenario hidden = grid({4096, 2048, 8}, {"software.overlap.tensor_backward=true"});
  CHECK(*planner::analyse_comm(full).algorithm.edge_flops_per_byte ==
        *planner::analyse_comm(hidden).algorithm.edge_flops_per_byte);
}

TEST_CASE("sequence parallelism gathers its saved shards once more: five all-reduces in place of four") {
  const double plain = *planner::analyse_comm(grid({4096, 2048, 8})).algorithm.edge_flops_per_byte;
  const double sequence = *planner::analyse_comm(grid({4096, 2048, 8}, {"parallelism.sequence_parallel=true"}))
                               .algorithm.edge_flops_per_byte;
  CHECK(sequence == doctest::Approx(plain * 4 / 5).epsilon(1e-12));
}

TEST_CASE("without tensor parallelism nothing blocks and there is no edge") {
  const CommAnalysis a = planner::analyse_comm(grid({4096, 2048, 1}));
  CHECK(!a.algorithm.edge_flops_per_byte);
  CHECK(a.fractions.serialized_fraction == 0);
}

TEST_CASE("from BERT to PaLM slack falls by 75 % and edge by 79 %") {  // figure 5.6
  const auto order = [](const char* model, const Sets& sets) {
    const std::string text = std::string("model: {use: ") + model +
                             "}\njob: {sequence: 512, global_batch: parallelism.microbatch, precision: fp16}\n"
                             "cluster: {use: mi210-flat-ring, gpus: parallelism.tp}\nsoftware: {use: pati-fused}\n"
                             "parallelism: {tp: 1, microbatch: 1}\n";
    const Scenario s = sample::scenario(text, sets);
    return planner::count_algorithm(s, planner::build_workload(s));
  };
  const planner::Algorithm bert = order("bert-large", {"parallelism.microbatch=16"});
  const planner::Algorithm palm = order("palm-540b", {"job.sequence=2048", "parallelism.tp=16"});
  CHECK(palm.slack_order / bert.slack_order - 1 == doctest::Approx(-0.75));
  CHECK(palm.edge_order / 4 / bert.edge_order - 1 ==
        doctest::Approx(-0.79).epsilon(0.005));  // TP 64, past its 48 heads
}

TEST_CASE("PaLM needs 277-way tensor parallelism by size") {
  const Scenario s = sample::scenario(
      "model: {use: palm-540b}\njob: {sequence: 2048, global_batch: 1, precision: fp16}\n"
      "cluster: {use: mi210-flat-ring, gpus: 16}\nsoftware: {use: pati-fused}\nparallelism: {tp: 16}\n");
  CHECK(std::round(planner::required_tp(s)) == 277);
}

TEST_CASE("the degree that fits is the smallest that does") {
  Scenario s = grid({16384, 2048, 64}, {"model.layers=16"});
  const std::optional<int64_t> tp = planner::fitting_tp(s);
  REQUIRE(tp);
  for (const int64_t degree : {*tp / 2, *tp}) {
    s.parallelism.tp = s.cluster.gpus = degree;
    s.parallelism.dp = s.job.global_batch = 1;
    const bool fits = !planner::overflow_of(planner::make_memory(s, planner::build_workload(s)));
    CHECK(fits == (degree == *tp));
  }
}

TEST_CASE("what is communicated is hidden, serialized or exposed") {
  for (const char* text : {sample::kGpt, sample::kLlama}) {
    const Scenario s = sample::scenario(text, {"parallelism={tp: 2, pp: 2, microbatch: 2, zero: 1}"});
    const CommAnalysis a = planner::analyse_comm(s);
    double serialized = 0, exposed = 0, seconds = 0, hidden = 0, rows = 0;
    for (const planner::PurposeRow& row : a.purposes) {
      serialized += row.serialized_seconds;
      exposed += row.exposed_seconds;
      hidden += row.hidden_seconds;
      seconds += row.seconds;
    }
    for (const planner::CommunicationRow& row : a.communication) rows += row.seconds;
    CHECK(seconds == doctest::Approx(rows));
    CHECK(seconds == doctest::Approx(serialized + exposed + hidden));
    CHECK(serialized == doctest::Approx(a.breakdown.serialized_comm));
    CHECK(exposed == doctest::Approx(a.breakdown.exposed_comm));
    CHECK(a.fractions.serialized_share_of_step * a.step_seconds == doctest::Approx(serialized));
  }
}

TEST_CASE("gradients and parameters that nothing hides are exposed, not serialized, however they are sharded") {
  for (const char* zero : {"0", "1", "2", "3"}) {
    CAPTURE(zero);
    const Sets open{std::string("parallelism={microbatch: 2, zero: ") + zero + "}", "software.overlap.gradients=false",
                    "software.overlap.parameters=false"};
    const CommAnalysis a = planner::analyse_comm(sample::scenario(sample::kLlama, open));
    CHECK(a.fractions.serialized_fraction == 0);
    CHECK(a.breakdown.serialized_comm == 0);
    CHECK(a.fractions.exposed_fraction > 0);
    double exposed = 0;
    for (const planner::PurposeRow& row : a.purposes) exposed += row.exposed_seconds;
    CHECK(exposed == doctest::Approx(a.breakdown.exposed_comm));
  }
}

TEST_CASE("every communication has a purpose") {
  const Sets layouts[] = {{"parallelism={tp: 2, sequence_parallel: true, zero: 1}"},
                          {"parallelism={tp: 2, cp: 2, pp: 2}"},
                          {"parallelism={zero: 3}"}};
  for (const Sets& sets : layouts)
    for (const planner::CommunicationRow& row : planner::analyse_comm(sample::llama(sets)).communication) {
      CAPTURE(row.name);
      CHECK(row.purpose != planner::Purpose::none);
    }
}

TEST_CASE("the region of interest saves the forward pass: 1.5 times") {
  const planner::Region r = planner::cost_region(grid({8192, 4096, 16}));
  CHECK(r.gemm_flops / r.region_flops == 1.5);
  CHECK(r.region_operators == 2 * (4 * 3 + 1));  // layers x (matrices x (two GEMMs, a collective) + one of the rest)
  CHECK(r.region_operators < r.operators);
  CHECK(r.region_seconds < r.operator_seconds);
  const double whole = *planner::analyse_comm(grid({8192, 4096, 16})).fractions.overlapped_over_hiding_compute;
  CHECK(*r.overlapped_over_hiding_compute == doctest::Approx(whole).epsilon(0.05));
  CHECK(!planner::cost_region(grid({8192, 4096, 16}, {"parallelism.dp=1"})).overlapped_over_hiding_compute);
}

/// The 196 points of table 5.1.
struct Grid {
  std::array<int64_t, 7> hidden{1024, 2048, 4096, 8192, 16384, 32768, 65536};
  std::array<int64_t, 4> sequence{1024, 2048, 4096, 8192};
  std::array<int64_t, 7> tp{4, 8, 16, 32, 64, 128, 256};
  using Values = std::map<std::array<size_t, 3>, double>;
  Values serialized, overlapped;

  Grid() {
    for (size_t h = 0; h < 7; ++h)
      for (size_t n = 0; n < 4; ++n)
        for (size_t t = 0; t < 7; ++t) {
          const auto f = planner::comm_fractions(grid({hidden[h], sequence[n], tp[t]}));
          serialized[{h, n, t}] = f.serialized_fraction;
          overlapped[{h, n, t}] = f.overlapped_over_hiding_compute.value();
        }
  }
  /// Neighbours along an axis that do not rise (sign 1) or fall (-1).
  static int against(const Values& values, size_t axis, double sign) {
    int wrong = 0;
    for (const auto& [point, value] : values) {
      auto next = point;
      ++next[axis];
      const auto found = values.find(next);
      if (found != values.end() && (found->second - value) * sign <= 0) ++wrong;
    }
    return wrong;
  }
};

TEST_CASE("trends on the grid of table 5.1") {
  const Grid g;
  CHECK(Grid::against(g.serialized, 2, 1) == 0);
  CHECK(Grid::against(g.serialized, 0, -1) == 0);
  CHECK(Grid::against(g.serialized, 1, -1) == 0);
  CHECK(Grid::against(g.overlapped, 1, -1) == 0);
  CHECK(Grid::against(g.overlapped, 0, -1) == 0);
}

TEST_CASE("what sticks out of an overlapped collective that blocks is on the critical path, gradients are not") {
  const auto fractions = [](const Sets& more) { return planner::comm_fractions(grid({4096, 1024, 16}, more)); };
  const planner::CommFractions plain = fractions({});
  CHECK(plain.critical_path_fraction == plain.serialized_fraction);
  const planner::CommFractions hidden = fractions({"software.overlap.tensor_backward=true"});
  CHECK(hidden.serialized_fraction < plain.serialized_fraction);
  CHECK(hidden.critical_path_fraction > hidden.serialized_fraction);
  CHECK(hidden.critical_path_fraction < plain.critical_path_fraction);
  const planner::CommFractions alone = planner::comm_fractions(
      grid({4096, 1024, 1}, {"software.overlap.gradients=false", "software.overlap.parameters=false"}));
  CHECK(alone.exposed_fraction > 0);
  CHECK(alone.critical_path_fraction == 0);
}

}  // namespace
