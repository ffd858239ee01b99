// Which generation of accelerators a scenario's machine is of: what the intervals of compared runs go by.
#include <doctest/doctest.h>

#include <set>

#include "planner/plan/uncertainty.h"
#include "tests/planner/sample.h"

namespace {

const std::string kText = R"(
model: {use: llama3-8b}
job: {sequence: 8192, global_batch: 64, precision: bf16}
cluster: {use: dgx-h100, gpus: 8}
software: {use: nemo}
)";

std::string generation(const sample::Sets& sets = {}) { return sample::scenario(kText, sets).cluster.gpu.generation; }

}  // namespace

TEST_CASE("an accelerator of the catalogue is of its generation, however many there are and whatever joins them") {
  CHECK(generation() == "hopper");
  CHECK(generation({"cluster.gpu.use=b200-180gb"}) == "blackwell");
  CHECK(generation({"cluster.gpus=64", "cluster.network[1].bandwidth=100 GB/s"}) == "hopper");
  CHECK(generation({"cluster.gpu.memory=96 GiB"}) == "hopper");  // the same compute units
}

TEST_CASE("an accelerator whose rates are written is of no generation that was measured, unless that is written too") {
  for (const char* set : {"cluster.gpu.flops.bf16=2000 TFLOP/s", "cluster.gpu.vector_flops=1 PFLOP/s",
                          "cluster.gpu.memory_bandwidth=8 TB/s", "cluster.gpu.speedup=2"}) {
    CAPTURE(std::string(set));
    CHECK(generation({set}).empty());
    CHECK(generation({set, "cluster.gpu.generation=hopper"}) == "hopper");
    const planner::Scenario s = sample::scenario(kText, {set});
    CHECK(!planner::compared_with(s));
    const double known =
        sample::plan(sample::scenario(kText)).step->high_seconds / sample::plan(sample::scenario(kText)).step->seconds;
    CHECK(sample::plan(s).step->high_seconds / sample::plan(s).step->seconds > known);
  }
}

TEST_CASE("what was fitted to kernels of an accelerator is assumed of one whose rates are written") {
  using operator_models::Provenance;
  const auto measured = [](const sample::Sets& sets, const char* kind) {
    double share = 0;
    for (const planner::SourceShare& source : sample::plan(sample::scenario(kText, sets)).sources)
      if (source.kind == kind && source.provenance <= Provenance::interpolated) share += source.share;
    return share;
  };
  CHECK(measured({}, "gemm") > 0);
  CHECK(measured({"cluster.gpu.memory=96 GiB"}, "gemm") == measured({}, "gemm"));
  for (const char* kind : {"gemm", "attention", "vector"}) {
    CAPTURE(std::string(kind));
    CHECK(measured({"cluster.gpu.memory_bandwidth=8 TB/s"}, kind) == 0);
    CHECK(measured({"cluster.gpu.flops.bf16=2 PFLOP/s"}, kind) == 0);
  }
  const planner::Plan faster = sample::plan(sample::scenario(kText, {"cluster.gpu.flops.bf16=2 PFLOP/s"}));
  CHECK(faster.errors.assumed > 0.8);
  CHECK(planner::operators_error(faster.errors) >
        1.5 * planner::operators_error(sample::plan(sample::scenario(kText)).errors));
  // The network is as it was, and so is what the scenario says of its own fits.
  const bool known = measured({"parallelism.tp=8"}, "collective") > 0;
  CHECK((measured({"cluster.gpu.speedup=2", "parallelism.tp=8"}, "collective") > 0) == known);
  const sample::Sets own{"cluster.gpu.flops.bf16=2 PFLOP/s", "cluster.gpu.calibration.gemm.bf16.provenance=measured"};
  CHECK(measured(own, "gemm") > 0);
  // A user's row without a source counts as a fit.
  const sample::Sets silent{"cluster.gpu.flops.bf16=2 PFLOP/s",
                            "cluster.gpu.calibration.gemm={bf16: {sustained: 0.7}}"};
  CHECK(measured(silent, "gemm") > 0);
  // Assumed values stay assumed.
  const sample::Sets borrowed{"cluster.gpu.use=gaudi3-128gb", "software.attention=default",
                              "cluster.gpu.memory_bandwidth=4 TB/s"};
  CHECK(sample::plan(sample::scenario(kText, borrowed)).errors.assumed > 0.5);
}

TEST_CASE("every accelerator has a generation, and what software was compared on is one of them") {
  const dsl::Catalog catalog{planner::builtin_catalog(), {}};
  std::set<std::string> generations;
  for (const std::string& gpu : dsl::catalog_names(catalog, "accelerator")) {
    CAPTURE(gpu);
    const std::string its =
        sample::scenario(kText, {"cluster.gpu.use=" + gpu, "job.precision=fp32", "software.attention=unfused"})
            .cluster.gpu.generation;
    CHECK(!its.empty());
    generations.insert(its);
  }
  for (const std::string& software : dsl::catalog_names(catalog, "software")) {
    const planner::Scenario s = sample::scenario(kText, {"software={use: " + software + ", attention: unfused}"});
    CAPTURE(software);
    CHECK(s.software.errors.run > 0);
    for (const planner::ErrorFamily& family : s.software.errors.families) {
      CHECK(generations.contains(family.generation));
      CHECK(family.runs.size() == family.means.size());
      CHECK(family.all_runs() > 0);
      CHECK(family.operators > 0);
    }
  }
}
