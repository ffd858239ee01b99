// One step's paths and expressions over a base scenario.
#include "planner/resolve/roadmap_set.h"

#include <doctest/doctest.h>

#include "tests/planner/studies/roadmap/roadmaps.h"

namespace {

using planner::RoadmapSet;
using roadmaps::text_of;

const std::string kBase = R"(let: {k: 3, bus: 10 GB/s}
model: {layers: 8, hidden: 1024, heads: 16, vocab: 51200}
job: {sequence: 1024, global_batch: 64, precision: fp16}
cluster: {use: dgx-a100-80gb, gpus: 16}
parallelism: {tp: 2, dp: [4, 8]}
)";

dsl::Node scalar(const std::string& text) {
  dsl::Node node;
  node.kind = dsl::Node::Kind::scalar;
  node.text = text;
  return node;
}

dsl::Node map(const std::string& key, dsl::Node value) {
  dsl::Node node;
  node.kind = dsl::Node::Kind::map;
  node.entries.push_back({key, {}, std::move(value)});
  return node;
}

/// The base of one test, the values set over it, and the messages.
struct Base {
  roadmaps::Reading reading;
  dsl::Diagnostics told;
  planner::RoadmapBase base;
  std::vector<RoadmapSet> sets;

  explicit Base(const sample::Sets& more = {}) : reading(kBase, more), base(opened(), told) {}
  const planner::OpenScenario& opened() {
    REQUIRE_MESSAGE(reading.base.has_value(), reading.mistakes());
    return *reading.base;
  }
  std::string text() const {
    std::string out;
    for (const RoadmapSet& set : sets) out += (out.empty() ? "" : " ") + text_of(set);
    for (const dsl::Diagnostic& d : told.list) out += (out.empty() ? "! " : " ! ") + d.message;
    return out;
  }
};

std::string set(const std::string& path, const dsl::Node& value) {
  Base b;
  b.base.set(path, {}, value, b.sets);
  return b.text();
}
std::string set(const std::string& path, const std::string& value) { return set(path, scalar(value)); }

std::string scale(const std::string& path, const std::string& factor, int times = 1, const sample::Sets& sets = {}) {
  Base b(sets);
  b.base.scale(path, {}, scalar(factor), times, b.sets);
  return b.text();
}

TEST_CASE("expressions read fields, names of let and tiers of the base") {
  CHECK(set("cluster.network.inter_node.bandwidth", "k * bus") == "cluster.network[1].bandwidth=30 GB/s");
  CHECK(set("job.global_batch", "model.layers * tp") == "job.global_batch=16");
  CHECK(set("cluster.network[0].latency", "cluster.network.infiniband.latency / k") ==
        "cluster.network[0].latency=900 ns");
  CHECK(set("cluster.gpu.memory", "if(k > 2, 96 GB, 48 GB)") == "cluster.gpu.memory=96 GB");
  CHECK(set("cluster.network", map("nvlink", map("bandwidth", scalar("k * 100 GB/s")))) ==
        "cluster.network[0].bandwidth=300 GB/s");
}

TEST_CASE("a step's mistakes in a value") {
  CHECK(set("job.global_batch", "dp * 2") == "! parallelism.dp differs between candidates of the base scenario");
  CHECK(set("cluster.gpu.memory", "job.sequence") ==
        "! expected bytes for cluster.gpu.memory, got the plain number 1024");
  CHECK(set("model.layers", "model.layers / k").find("whole number for model.layers") != std::string::npos);
  CHECK(set("job.global_batch", "job.tokens") == "! 'job.tokens' is not set");
  CHECK(set("job.global_batch", "model.layer").starts_with("! unknown name 'model.layer'"));
  CHECK(set("cluster.networks.nvlink.bandwidth", "1 GB/s").starts_with("! unknown field"));
}

TEST_CASE("an empty value takes a field back, where it may be absent") {
  CHECK(set("job.tokens", dsl::Node{}) == "job.tokens=null");
  CHECK(set("model.layers", dsl::Node{}).find("model.layers") != std::string::npos);
}

TEST_CASE("a scale is taken to a power, and counts stay whole") {
  CHECK(scale("cluster.gpu.memory", "1.5", 2) == "cluster.gpu.memory=180 GiB");
  CHECK(scale("cluster.gpu.memory", "1.5", 0) == "cluster.gpu.memory=80 GiB");
  CHECK(scale("model.layers", "1.2") == "model.layers=10");  // 9.6
  CHECK(scale("model.layers", "k / 2", 3) == "model.layers=27");
  CHECK(scale("cluster.network.*.bandwidth", "2") ==
        "cluster.network[0].bandwidth=600 GB/s cluster.network[1].bandwidth=50 GB/s");
}

TEST_CASE("what a scale cannot do") {
  CHECK(scale("job.precision", "2") == "! 'job.precision' holds no number that could be scaled");
  CHECK(scale("job.tokens", "2") == "! 'job.tokens' is not set");
  CHECK(scale("parallelism.dp", "2") == "! parallelism.dp differs between candidates of the base scenario");
  CHECK(scale("model.layers", "2 GB") == "! expected a plain number, got bytes");
  CHECK(scale("cluster.network.inter_node.bandwidth", "2", 1,
              {"cluster.network=[{name: nvlink, size: 16, bandwidth: 1 GB/s, latency: 1 us}]",
               "cluster.gpus_per_node=16"}) == "");  // no tier beyond the node
}

TEST_CASE("a tier that the network does not have is told where it stands, with those that it has") {
  Base b;
  b.base.set("cluster.network.ethernet.bandwidth", {}, scalar("1 GB/s"), b.sets);
  b.base.scale("cluster.network.nvlink.bandwith", {}, scalar("2"), 1, b.sets);
  REQUIRE(b.told.list.size() == 2);
  CHECK(b.told.list[0].message == "unknown field 'cluster.network.ethernet.bandwidth'");
  CHECK(b.told.list[0].hint == "cluster.network has nvlink, infiniband");
  CHECK(b.told.list[1].hint == "did you mean 'cluster.network[0].bandwidth'?");
  CHECK(b.sets.empty());
}

TEST_CASE("a number is plain and of the base, or told") {
  Base b;
  CHECK(b.base.number(scalar("k ^ 2 + 1")) == 10);
  CHECK(b.base.number(scalar("cluster.gpu.memory / 40 GiB")) == 2);
  CHECK(b.told.list.empty());
  CHECK(!b.base.number(map("a", scalar("1"))));
  CHECK(!b.base.number(scalar("\"three\"")));
  CHECK(b.told.list.size() == 2);
  CHECK(!b.base.number(scalar("2 +")));
  CHECK(b.told.list.size() == 3);
}

TEST_CASE("a set is an override that --set would take, and is told at its place") {
  Base b;
  b.base.set("cluster.network.infiniband.bandwidth", {}, scalar("bus / k"), b.sets);
  b.base.set("job.precision", {}, scalar("bf16"), b.sets);
  sample::Sets texts{"parallelism.dp=8"};
  for (const RoadmapSet& one : b.sets) texts.push_back(planner::override_of(one).text);
  const planner::Scenario s = sample::scenario(kBase, texts);
  CHECK(s.cluster.network[1].bandwidth.value == doctest::Approx(10e9 / 3).epsilon(1e-12));
  CHECK(texts.back() == "job.precision=bf16");
  const planner::RoadmapSet placed{"tp", {dsl::Number{2, dsl::kNone}}, {&b.reading.sources.front(), 3, 7, 1}};
  CHECK(planner::override_of(placed).place.line == 3);
}

}  // namespace
