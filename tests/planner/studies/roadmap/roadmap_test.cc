// Cells of a roadmap: each is the scenario with its values, planned or searched again.
#include "planner/studies/roadmap/roadmap.h"

#include <doctest/doctest.h>

#include <atomic>

#include "planner/resolve/read.h"
#include "tests/planner/studies/roadmap/roadmaps.h"

using planner::RoadmapCell;
using roadmaps::cells;
using roadmaps::Reading;
using sample::near;

namespace {

// Tensor parallelism alone: all except serialized communication is compute, launches, or late ranks.
const std::string kSliced = R"(
model: {layers: 4, hidden: 8192, heads: 64, vocab: 51200, positions: 2048}
job: {sequence: 2048, global_batch: 4, precision: fp16, tokens: 1e9}
cluster: {use: mi210-flat-ring, gpus: 64}
parallelism: {tp: 64}
software: {attention: flash2, overlap: {tensor_backward: false}, launch: 40 us, straggling: 0.01, step_overhead: 1 ms,
           microbatch_overhead: 1 ms}
)";

const std::string kNode = R"(
model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64, tokens: 1e10}
cluster: {use: dgx-a100-80gb, gpus: 8, price: 2 USD/h}
parallelism: {tp: 2, zero: 1}
)";

}  // namespace

TEST_CASE("faster compute alone makes a serialized fraction f into f / (f + (1 - f) / k)") {
  const auto all = cells(kSliced + "roadmap: [flop-vs-bw, {name: odd, set: {cluster.gpu.speedup: 3.7}}]\n");
  REQUIRE(all.size() == 4);
  const double f = all[0].fractions->serialized_fraction, factors[] = {1, 2, 4, 3.7};
  CHECK(f > 0.1);
  CHECK(f < 0.9);
  for (size_t i = 0; i < all.size(); ++i) {
    CHECK(near(all[i].fractions->serialized_fraction, f / (f + (1 - f) / factors[i]), 1e-12));
    const double share = all[0].fractions->serialized_share_of_step;
    const double compute = all[0].results->step.seconds * (1 - share), comm = all[0].results->step.seconds * share;
    CHECK(near(all[i].results->step.seconds, comm + compute / factors[i], 1e-12));
    CHECK(near(all[i].results->mfu * all[i].results->step.seconds * factors[i],
               all[0].results->mfu * all[0].results->step.seconds, 1e-12));
    CHECK(all[i].memory_demand_over_capacity == all[0].memory_demand_over_capacity);
  }
}

TEST_CASE("switches that add halve what an all-reduce takes, and slow nothing that adds already") {
  const auto ring = cells(kSliced + "roadmap: [flop-vs-bw-1x, in_network]\n", {"software.skew=0 s"});
  const auto comm = [](const RoadmapCell& c) { return c.fractions->serialized_fraction * c.results->step.seconds; };
  CHECK(comm(ring[1]) < 0.6 * comm(ring[0]));
  CHECK(comm(ring[1]) > 0.49 * comm(ring[0]));
  const auto adds = cells(kNode + "roadmap: [flop-vs-bw-1x, in_network]\n",
                          {"cluster.use=dgx-h100", "parallelism.tp=8", "parallelism.sequence_parallel=false"});
  CHECK(comm(adds[1]) <= comm(adds[0]));
}

TEST_CASE("a cell has the figures of the plan with its values") {
  const auto all = cells(kNode + R"(
roadmap:
  hardware: [{name: now}, {name: fast, set: {cluster.network.nvlink.bandwidth: 2 * cluster.network.nvlink.bandwidth}}]
  models: [gpt3-1.3b, {name: deep, set: {model.layers: 2 * model.layers}}]
)");
  REQUIRE(all.size() == 4);
  CHECK(all[1].step == "now");
  CHECK(all[1].model == "deep");
  CHECK(all[2].step == "fast");
  const auto s = sample::scenario(kNode, {"cluster.network[0].bandwidth=600 GB/s", "model.layers=48"});
  const planner::Plan plan = sample::plan(s);
  CHECK(all[3].results->step.seconds == plan.step->seconds);
  CHECK(all[3].results->mfu == plan.throughput->mfu);
  CHECK(all[3].results->usd_per_1e12_tokens == plan.cost->usd_per_1e12_tokens);
  CHECK(all[3].memory_demand_over_capacity == plan.memory->device.peak_bytes / plan.memory->device.capacity_bytes);
  CHECK(all[3].fractions->exposed_fraction == planner::comm_fractions(s).exposed_fraction);
  CHECK(all[3].gpus == 8);
  CHECK(all[3].parallelism->tp == 2);
  CHECK(all[3].feasible);
}

TEST_CASE("open choices are searched again in every cell") {
  const auto all = cells(kNode + "roadmap: [{name: now}, {name: small, set: {cluster.gpu.memory: 12 GB}}]\n",
                         {"parallelism.tp=[1, 2, 4]", "parallelism.recompute=[none, full]"});
  REQUIRE(all.size() == 2);
  CHECK(all[0].evaluated == 6);
  CHECK(all[0].feasible);
  CHECK(all[1].feasible);
  CHECK(all[0].choices.size() == 2);
  CHECK(all[0].choices != all[1].choices);
  const auto best =
      sample::scenario(kNode, {"cluster.gpu.memory=12 GB", "parallelism.tp=" + dsl::to_text(all[1].choices[0].second),
                               "parallelism.recompute=" + dsl::to_text(all[1].choices[1].second)});
  CHECK(all[1].results->step.seconds == sample::plan(best).step->seconds);
}

TEST_CASE("what does not work keeps its row, with the reason") {
  const auto fixed = cells(kNode + R"(
roadmap: [{name: full, set: {cluster.gpu.memory: 5 GB}}, {name: odd, set: {parallelism.tp: 3}}]
)");
  CHECK(!fixed[0].feasible);
  CHECK(fixed[0].reason.starts_with("memory: "));
  CHECK(*fixed[0].memory_demand_over_capacity > 1);
  CHECK(fixed[0].results.has_value());  // what it would take
  CHECK(!fixed[1].feasible);
  CHECK(fixed[1].reason.starts_with("ranks: "));
  CHECK(!fixed[1].results);
  CHECK(!fixed[1].fractions);
  CHECK(!fixed[1].gpus);
  const auto open =
      cells(kNode + "roadmap: {name: full, set: {cluster.gpu.memory: 5 GB}}\n", {"parallelism.tp=[1, 2]"});
  CHECK(open[0].reason == "rejected: memory 2");
  CHECK(*open[0].memory_demand_over_capacity > 1);
  CHECK(!open[0].results);
}

TEST_CASE("a deadline asks for GPUs: more replicas where their number is fixed, the fewest where it is a choice") {
  const auto days = [](const sample::Sets& sets) { return *sample::plan(sample::scenario(kNode, sets)).cost->days; };
  const double limit = days({"cluster.gpus=16"}) * 1.01;
  REQUIRE(days({}) > limit);
  const std::string deadline = "goal.deadline=" + std::to_string(limit) + " d";
  const auto fixed =
      cells(kNode + "roadmap: [{name: now}, {name: fast, scale: {cluster.gpu.speedup: 8}}]\n", {deadline});
  CHECK(fixed[0].feasible);
  CHECK(fixed[0].planned_gpus == 8);
  CHECK(fixed[0].gpus == 16);
  CHECK(*fixed[1].gpus < 8);
  CHECK(days({"cluster.gpu.speedup=8", "cluster.gpus=" + std::to_string(*fixed[1].gpus)}) <= limit);
  const auto open = cells(kNode + "roadmap: {name: now}\n", {deadline, "cluster.gpus=[8, 32, 16, 64]"});
  CHECK(open[0].gpus == 16);
  CHECK(open[0].planned_gpus == 16);
  CHECK(cells(kNode + "roadmap: {name: now}\n", {"goal.deadline=1 s"})[0].gpus == std::nullopt);
}

TEST_CASE("what only a whole scenario shows is told once, where the step stands") {
  Reading r(kNode +
            "roadmap: {hardware: [{name: a, set: {software.attention: flash9}}], models: [gpt3-1.3b, gpt3-13b]}\n");
  REQUIRE(r.roadmap.has_value());
  const planner::ScenarioText text{r.sources.front(), r.overrides, r.catalog, r.sources};
  CHECK(planner::roadmap_cells(*r.roadmap, text, {}, r.diagnostics).empty());
  CHECK(r.diagnostics.list.size() == 1);
  CHECK(r.mistakes().starts_with("6:58 no attention kernel 'flash9'"));
}

TEST_CASE("each preset moves what it names, and its direction is known") {
  const auto all = cells(kNode + R"(
roadmap: [flop-vs-bw-1x, comm_offload, longer_sequence, low_precision, gpu-2x-cu, host_memory]
)",
                         {"software.overlap.hidden_data=0.5", "software.overlap.hidden_tensor=0.5",
                          "software.overlap.tensor=true", "parallelism.sequence_parallel=true"});
  REQUIRE(all.size() == 6);
  const RoadmapCell &now = all[0], &offload = all[1], &longer = all[2], &narrow = all[3], &twice = all[4],
                    &host = all[5];
  CHECK(offload.fractions->exposed_fraction < now.fractions->exposed_fraction);
  CHECK(offload.results->step.seconds < now.results->step.seconds);
  CHECK(longer.results->step.seconds > 3.5 * now.results->step.seconds);  // of as many sequences
  CHECK(*longer.memory_demand_over_capacity > *now.memory_demand_over_capacity);
  CHECK(narrow.results->step.seconds < now.results->step.seconds);
  CHECK(narrow.fractions->serialized_fraction > now.fractions->serialized_fraction);
  CHECK(twice.results->step.seconds < now.results->step.seconds);
  CHECK(twice.results->step.seconds > 0.5 * now.results->step.seconds);  // memory, launches and network stay
  CHECK(*host.memory_demand_over_capacity < *now.memory_demand_over_capacity);
  for (const RoadmapCell& cell : all) CHECK(cell.results->tokens_per_second > 0);
}

TEST_CASE("a stop ends a roadmap between two cells") {
  Reading r(kNode + "roadmap: flop-vs-bw\n");
  REQUIRE(r.roadmap.has_value());
  const std::atomic<bool> stop{true};
  planner::SearchOptions options;
  options.stop = &stop;
  const planner::ScenarioText text{r.sources.front(), r.overrides, r.catalog, r.sources};
  const auto stopped = planner::roadmap_cells(*r.roadmap, text, options, r.diagnostics);
  REQUIRE(stopped.size() == 3);
  CHECK(!stopped[0].feasible);
  CHECK(!stopped[0].results);
}

TEST_CASE("replicas for a deadline are whole, divide the batch, and keep the layout of one") {
  const auto s = sample::scenario(kNode, {"parallelism.pp=2"});
  const double days = *sample::plan(s).cost->days;
  for (const double share : {0.2, 0.5, 0.9, 1.5, 3.0}) {
    const auto gpus = planner::gpus_for_deadline(s, dsl::Seconds{share * days * 86400});
    REQUIRE(gpus.has_value());
    CHECK(*gpus % 4 == 0);
    CHECK(64 % (*gpus / 4) == 0);
    CHECK((share < 1) == (*gpus > 8));
    const auto in_days = [&](int64_t n) {
      return *sample::plan(sample::scenario(kNode, {"parallelism.pp=2", "cluster.gpus=" + std::to_string(n)}))
                  .cost->days;
    };
    CHECK(in_days(*gpus) <= share * days);
    if (*gpus > 4) CHECK(in_days(*gpus / 2) > share * days);
  }
}
