// What fused collectives add to the time of their GEMMs, on whole layers.
#include "planner/workload/fused_cost.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "operator_models/fused_collective.h"
#include "tests/planner/sample.h"

using planner::CostedOp;
using planner::CostedWorkload;
using planner::Hide;
using sample::Sets;
using sample::operator+;

namespace {

constexpr const char* kText = R"(
model: {layers: 2, hidden: 4256, heads: 32, vocab: 1024, dropout: 0}
job: {sequence: 1024, global_batch: parallelism.microbatch, precision: fp16}
cluster: {use: t3-ring, gpus: parallelism.tp}
software: {use: pati-fused, attention: unfused}
parallelism: {tp: 16, microbatch: 8}
)";

struct Layer {
  double gemms = 0, fused = 0, exposed = 0;  // seconds: GEMMs that write for others, their collectives, what sticks out
};

Layer layer(const std::string& way, const Sets& more = {}) {
  const planner::Scenario s = sample::scenario(kText, Sets{"software.fused_collectives=" + way} + more);
  const CostedWorkload c = planner::cost_workload(s, planner::build_workload(s));
  Layer sum;
  for (const CostedOp& op : c.blocks[1].ops) {
    if (op.work->hide != Hide::fused) continue;
    sum.gemms += c.blocks[1].ops[static_cast<size_t>(op.work->cover)].cost.seconds.value;
    sum.fused += op.cost.seconds.value;
    sum.exposed += op.exposed;
  }
  REQUIRE(sum.fused > 0);
  return sum;
}

double step(const std::string& way, const Sets& more = {}) {
  return sample::plan(sample::scenario(kText, Sets{"software.fused_collectives=" + way} + more)).step->seconds;
}

}  // namespace

TEST_CASE("the ways in their order: near memory is the least, contention costs, the sequence is the most") {
  const double none = step("none"), ideal = step("ideal"), near = step("ideal-nmc"), t3 = step("t3"),
               mca = step("t3-mca");
  CHECK(near <= ideal);
  CHECK(near <= mca);
  CHECK(mca < t3);
  CHECK(t3 < none);
  CHECK(ideal < none);
}

TEST_CASE("without contention and with an instant network nothing is added to the GEMMs") {
  const Sets instant{"cluster.gpu.calibration.fused.t3=0", "cluster.network[0].bandwidth=1e9 GB/s",
                     "cluster.network[0].latency=0 s"};
  const Layer l = layer("t3", instant);
  CHECK(std::abs(l.exposed) < 1e-6 * l.gemms);
}

TEST_CASE("contention is the traffic's time and the calibration's factor, and none where the cache holds the inputs") {
  const Sets instant{"cluster.network[0].bandwidth=1e9 GB/s", "cluster.network[0].latency=0 s"};
  const auto lost = [&](const Sets& more) { return layer("t3", instant + more).exposed; };
  const double one = lost({"cluster.gpu.calibration.fused.t3=1"}), two = lost({"cluster.gpu.calibration.fused.t3=2"});
  // FC-1, FC-2 and IP read more than 16 MiB each, OP does not: (N - 2) c + 2 (N - 1) c of 8192 x 4256 results.
  const double chunk = 2.0 * 8192 * 4256 / 16;
  CHECK(one == doctest::Approx(3 * (14 + 2 * 15) * chunk / 1e12).epsilon(1e-6));
  CHECK(two == doctest::Approx(2 * one).epsilon(1e-6));
  CHECK(lost({"cluster.gpu.cache=1 GiB"}) == doctest::Approx(0).epsilon(1e-9));
  CHECK(lost({"cluster.gpu.near_memory.op_and_store=1", "cluster.gpu.calibration.fused.t3=1"}) ==
        doctest::Approx(3 * (14 + 15) * chunk / 1e12).epsilon(1e-6));
}

TEST_CASE("a GEMM that goes first loses by what it reads itself, and never more than one that does not") {
  const Sets instant{"cluster.network[0].bandwidth=1e9 GB/s", "cluster.network[0].latency=0 s"};
  const auto lost = [&](const char* way, const Sets& more) { return layer(way, instant + more).exposed; };
  const Sets few{"cluster.gpu.calibration.fused.t3_mca=0.1"}, twice{"cluster.gpu.calibration.fused.t3_mca=0.2"};
  CHECK(lost("t3-mca", few) > 0);
  CHECK(lost("t3-mca", twice) == doctest::Approx(2 * lost("t3-mca", few)).epsilon(1e-6));
  CHECK(lost("t3-mca", few + Sets{"cluster.gpu.cache=17 MiB"}) < lost("t3-mca", few));  // fewer reads
  CHECK(lost("t3", few + Sets{"cluster.gpu.cache=17 MiB"}) == doctest::Approx(lost("t3", few)).epsilon(1e-6));
  const Sets most{"cluster.gpu.calibration.fused.t3_mca=100"};
  CHECK(lost("t3-mca", most) == doctest::Approx(lost("t3", most)).epsilon(1e-6));
}

// Section 8.6.1: the GEMM's stores are all of the collective.
TEST_CASE("fully connected ranks send straight to the owner, part by part") {
  const Sets linked{"cluster.network[0].wiring=fully-connected"}, one{"cluster.gpu.calibration.fused.t3=1"};
  const Sets instant{"cluster.network[0].bandwidth=1e9 GB/s", "cluster.network[0].latency=0 s"};
  const double chunk = 2.0 * 8192 * 4256 / 16;
  CHECK(layer("t3", instant + linked + one).exposed == doctest::Approx(3 * 2 * 15 * chunk / 1e12).epsilon(1e-4));
  for (const char* way : {"t3", "t3-mca"})
    CHECK(layer(way, linked).exposed >= layer("ideal-nmc", linked).exposed * (1 - 1e-12));
}

TEST_CASE("more bandwidth, of links or of memory, is never slower") {
  for (const char* way : {"ideal", "ideal-nmc", "t3", "t3-mca", "cu-split"})
    for (const char* field : {"cluster.network[0].bandwidth", "cluster.gpu.memory_bandwidth"}) {
      CAPTURE(way);
      CAPTURE(field);
      double before = 1e9;
      for (const char* bandwidth : {"25 GB/s", "75 GB/s", "300 GB/s", "1 TB/s", "4 TB/s"}) {
        const double now = step(way, {std::string(field) + "=" + bandwidth});
        CHECK(now <= before * (1 + 1e-12));
        before = now;
      }
    }
}

TEST_CASE("the ideal exposes what is longer than its GEMM, and T3 never less than the near-memory bound") {
  const planner::Scenario s = sample::scenario(kText, {"software.fused_collectives=ideal"});
  const CostedWorkload c = planner::cost_workload(s, planner::build_workload(s));
  for (const CostedOp& op : c.blocks[1].ops) {
    if (op.work->hide != Hide::fused) continue;
    const double gemm = c.blocks[1].ops[static_cast<size_t>(op.work->cover)].cost.seconds.value;
    CHECK(op.exposed == doctest::Approx(std::max(0.0, op.cost.seconds.value - gemm)));
  }
  for (const char* tp : {"parallelism.tp=2", "parallelism.tp=8", "parallelism.tp=32"})
    for (const char* way : {"t3", "t3-mca"})
      CHECK(layer(way, {tp}).exposed >= layer("ideal-nmc", {tp}).exposed * (1 - 1e-12));
}

TEST_CASE("compute units of a collective are the GEMM's no more") {
  const auto units = [](int n) {
    return Sets{"software.collective_units=" + std::to_string(n), "cluster.network[0].bandwidth=1e9 GB/s",
                "cluster.network[0].latency=0 s"};
  };
  CHECK(std::abs(layer("cu-split", units(0)).exposed) < 1e-6 * layer("cu-split", units(0)).gemms);
  double before = 0;
  for (int n : {0, 8, 16, 40}) {
    const double lost = layer("cu-split", units(n)).exposed;
    CHECK(lost >= before);
    before = lost;
  }
  CHECK(planner::left_to_gemms(sample::scenario(kText, {"software.collective_units=8"})).compute_units == 0.9);
}
