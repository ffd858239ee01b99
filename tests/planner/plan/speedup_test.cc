// A device that computes faster than the one its models were measured on.
#include <doctest/doctest.h>

#include "planner/resolve/read.h"
#include "planner/scenario/field_path.h"
#include "tests/planner/sample.h"

using planner::Scenario;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

const Sets kSliced{"parallelism.tp=8", "parallelism.zero=1"};

double launches(const planner::CostedWorkload& costed) {
  double seconds = 0;
  for (const planner::CostedBlock& block : costed.blocks) seconds += block.forward.host + block.backward.host;
  return seconds;
}

}  // namespace

TEST_CASE("a speed-up shortens every operator of the device, with its launch, and no communication") {
  const Scenario once = sample::gpt(kSliced), faster = sample::gpt(kSliced + Sets{"cluster.gpu.speedup=2.5"});
  const planner::Plan a = sample::plan(once), b = sample::plan(faster);
  const auto slow = planner::cost_workload(once, sample::workload(once));
  const auto fast = planner::cost_workload(faster, sample::workload(faster));
  int kernels = 0, transfers = 0;
  for (size_t i = 0; i < slow.blocks.size(); ++i)
    for (size_t j = 0; j < slow.blocks[i].ops.size(); ++j) {
      const planner::CostedOp &x = slow.blocks[i].ops[j], &y = fast.blocks[i].ops[j];
      const double factor = x.communication ? 1 : 2.5;
      (x.communication ? transfers : kernels) += 1;
      CHECK(near(x.cost.seconds.value, factor * y.cost.seconds.value));
      CHECK(near(x.cost.launch.value, factor * y.cost.launch.value));
    }
  CHECK(kernels > 20);
  CHECK(transfers > 2);
  CHECK(near(a.breakdown->optimizer, 2.5 * b.breakdown->optimizer));
  CHECK(near(a.breakdown->serialized_comm, b.breakdown->serialized_comm));
  CHECK(b.throughput->peak_flops_per_gpu == 2.5 * a.throughput->peak_flops_per_gpu);
}

TEST_CASE("the host keeps pace with a faster device, but computes as ever") {
  const Sets bound{"parallelism.tp=1", "software.launch=1 ms"};
  const auto at = [&](const Sets& more) {
    const Scenario s = sample::gpt(bound + more);
    return launches(planner::cost_workload(s, sample::workload(s)));
  };
  CHECK(at({}) > 0);
  CHECK(near(at({}), 4 * at({"cluster.gpu.speedup=4"})));
  const Sets offloaded{"cluster.host={bandwidth: 20 GB/s, memory: 1 TB, memory_bandwidth: 400 GB/s}",
                       "parallelism.offload.optimizer=1"};
  const auto update = [&](const Sets& more) {
    const Scenario s = sample::gpt(offloaded + more);
    const planner::Workload w = sample::workload(s);
    double seconds = 0;
    for (const planner::CostedOp& op : planner::cost_step_ops(s, w.classes.front()))
      if (std::holds_alternative<operator_models::HostUpdate>(op.work->op)) seconds += op.cost.seconds.value;
    return seconds;
  };
  CHECK(update({}) > 0);
  CHECK(update({}) == update({"cluster.gpu.speedup=4"}));
}

TEST_CASE("a speed-up is a ratio above zero") {
  dsl::Sources sources;
  for (const char* value : {"0", "-1", "2 s"}) {
    const dsl::Source& source = sources.emplace_back(dsl::Source{"test.yaml", sample::kGpt, ""});
    dsl::Diagnostics diagnostics;
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    const std::vector<dsl::Override> sets{{"cluster.gpu.speedup=" + std::string(value)}};
    CHECK(!planner::read_scenario(source, sets, catalog, sources, diagnostics));
    CHECK(diagnostics.list.size() == 1);
  }
}

TEST_CASE("a tier has an index, a name and a role") {
  const planner::LoadedScenario loaded = sample::load(sample::kGpt);
  const auto path = [&](const std::string& name) {
    return planner::indexed_path(name, loaded.record, loaded.scenario.cluster);
  };
  CHECK(path("cluster.network.nvlink.latency") == "cluster.network[0].latency");
  CHECK(path("cluster.network.intra_node.latency") == "cluster.network[0].latency");
  CHECK(path("cluster.network.inter_node.latency") == "cluster.network[1].latency");
  CHECK(path("cluster.network.infiniband.latency") == "cluster.network[1].latency");
  for (const char* same : {"cluster.network.ethernet.latency", "cluster.network[1].latency", "cluster.gpu.memory"})
    CHECK(path(same) == same);
}

TEST_CASE("an override that stands in a file is told there, and finds files beside it") {
  dsl::Sources sources;
  const dsl::Source& source = sources.emplace_back(dsl::Source{"dir/test.yaml", sample::kGpt, "dir"});
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  dsl::Diagnostics diagnostics;
  const dsl::Span place{&source, 3, 7, 4};
  CHECK(!planner::read_scenario(source, {{"job.sequence=2 s", place}, {"model.use=./none.yaml", place}}, catalog,
                                sources, diagnostics));
  REQUIRE(!diagnostics.list.empty());
  for (const dsl::Diagnostic& d : diagnostics.list) {
    CHECK(d.span.source == &source);
    CHECK(d.span.line == 3);
    CHECK(d.span.column == 7);
  }
  CHECK(diagnostics.list.front().message == "no file 'dir/none.yaml'");
}
