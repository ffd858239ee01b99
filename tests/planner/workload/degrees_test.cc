// The table of degrees: every row has a pass, a place among the ranks, a rule for what it divides.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "planner/scenario/divisions.h"
#include "planner/search/readers.h"
#include "planner/workload/placement.h"
#include "tests/planner/workload/lower/mixtures.h"

using namespace mixtures;
using planner::Degree;
using planner::Division;
using sample::operator+;

namespace {

const Sets kSplit{"parallelism.sequence_parallel=true", "parallelism.tp=2", "parallelism.etp=2"};

/// What the ranks hold, run and keep; equal texts mean that a degree changed nothing.
std::string text_of(const Workload& w) {
  std::string out = std::to_string(w.microbatches) + " " + std::to_string(w.classes.size());
  for (const Block& block : w.blocks) {
    out +=
        "\n" + block.name.str() + " " + std::to_string(block.parameters()) + " " + std::to_string(block.saved_bytes());
    for (const WorkOp& op : block.ops) out += " " + op.name.str() + " " + std::to_string(sample::gemm_flops(op));
  }
  return out;
}

/// Layers of unlike kinds, which have heads of their own.
Scenario hybrid() {
  return sample::scenario(
      "model: {layers: 4, hidden: 1024, heads: 16, vocab: 32000, pattern: (MA)x2, kinds: [{use: mamba2}, {use: "
      "block}]}\n"
      "job: {sequence: 1024, global_batch: 16}\ncluster: {use: dgx-h100, gpus: 8}\nsoftware: {use: megatron-core}\n");
}

}  // namespace

TEST_CASE("each degree, doubled, changes the workload") {
  const std::string base = text_of(sample::workload(mixture(kSplit)));
  for (const Degree& degree : planner::degrees()) {
    CAPTURE(std::string(degree.name));
    Scenario s = mixture(kSplit);
    s.parallelism.*degree.value *= 2;
    if (degree.rest) s.cluster.gpus *= 2;
    else if (degree.has_ranks()) planner::set_data_degree(s.parallelism, s.parallelism.dp / 2);
    CHECK(text_of(planner::build_workload(s)) != base);
  }
}

TEST_CASE("a degree of the table is a field with a short name, which a search reads everywhere unless told otherwise") {
  const planner::LoadedScenario loaded = sample::load(kMixture, {"let={a: tp + pp + cp + ep + etp + dp}"});
  for (const Degree& degree : planner::degrees()) {
    CAPTURE(std::string(degree.name));
    const std::string path = planner::degree_path(degree);
    REQUIRE(loaded.record.find(path));
    CHECK(loaded.record.find(degree.name) == loaded.record.find(path));
    CHECK(loaded.record.full_path(degree.name) == path);
    CHECK((planner::readers_of(path) & planner::kPlacement) != 0);
    CHECK(planner::layout_rule_reads(0, path, loaded.scenario));  // they multiply to the ranks
  }
}

TEST_CASE("the default order has a word for each degree that stands at no other's place") {
  const planner::DegreeOrder order = planner::parse_order(planner::kDefaultOrder);
  CHECK(!order.empty());
  for (const Degree& degree : planner::degrees()) {
    CAPTURE(std::string(degree.name));
    CHECK(std::ranges::count(order, &degree) == (degree.place ? 0 : 1));
  }
}

TEST_CASE("what a degree does not divide breaks the rule that the row names, and the message says by what") {
  for (const Division& division : planner::divisions()) {
    CAPTURE(std::string(division.what));
    Scenario s = mixture(kSplit + Sets{"job.lora.rank=16"});
    if (division.extent(s) == 0) s = hybrid();
    s.parallelism.*division.degree = 7;
    REQUIRE(division.extent(s) % 7 != 0);
    const std::string by = std::string(planner::degree_of(division.degree).name) + " 7";
    const auto violations = planner::layout_violations(s);
    CHECK(std::ranges::any_of(violations, [&](const planner::Violation& v) {
      return v.rule == division.rule && v.message.find("not divisible by " + by) != std::string::npos;
    }));
  }
}

TEST_CASE("the groups of all degrees of a cut, and the stages, make the job's ranks") {
  const Scenario s = mixture(kSplit + Sets{"parallelism.pp=2", "parallelism.cp=2", "parallelism.ep=4"});
  CHECK(planner::stage_ranks(s.parallelism) * s.parallelism.pp == s.cluster.gpus);
  CHECK(planner::expert_set_ranks(s.parallelism) == 8);
  CHECK(planner::data_ranks(s.parallelism) == s.parallelism.dp * 2);
  for (const Degree& degree : planner::degrees()) {
    CAPTURE(std::string(degree.name));
    CHECK(planner::group_of(s, degree.value).ranks == s.parallelism.*degree.value);
    CHECK(s.cluster.gpus % (planner::stride_of(s, degree.value) * s.parallelism.*degree.value) == 0);
  }
}

TEST_CASE("a layout is written with the degrees that are always shown, and those above 1") {
  planner::Degrees d{.tp = 8, .pp = 4, .cp = 1, .ep = 1, .etp = 1, .dp = 2};
  CHECK(planner::degrees_text(d) == "tp 8 x pp 4 x dp 2");
  d.cp = 2, d.ep = 4, d.etp = 2;
  CHECK(planner::degrees_text(d) == "tp 8 x pp 4 x dp 2 x cp 2, ep 4, etp 2");
  CHECK(planner::main_degrees_text(d) == "tp 8 x pp 4 x dp 2");
}

TEST_CASE("defaults read the table: data ranks are what the others leave, the shard group is all of them") {
  CHECK(planner::default_of(planner::degree_of(&planner::Degrees::dp)) == std::string("cluster.gpus / (tp * pp * cp)"));
  CHECK(planner::default_of(planner::degree_of(&planner::Degrees::tp)) == std::string("1"));
  CHECK(planner::default_shard_group() == "dp * cp");
}
