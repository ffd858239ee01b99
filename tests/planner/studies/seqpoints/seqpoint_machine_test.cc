// SeqPoints on other machines: found once on a Vega Frontier Edition, on real lengths, they project the epoch on the
// other configurations of table 3.2 (Pati 2024).
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "planner/plan/plan.h"
#include "planner/resolve/read.h"
#include "planner/studies/seqpoints/project.h"
#include "tests/planner/seqpoint/seqpoint_lengths.h"
#include "tests/planner/workload/lower/fixed_sample.h"

using namespace planner::seqpoint;
using sample::near;

namespace {

struct Running {
  dsl::Sources sources;
  std::vector<dsl::Override> overrides;
  dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  dsl::Diagnostics diagnostics;
  std::optional<Projection> projection;

  Running(const Log& log, const sample::Sets& sets, const ProjectionOptions& options = {},
          const std::string& scenario = sample::kVega) {
    sources.push_back({.name = "vega.yaml", .text = scenario, .directory = "/nonexistent"});
    const dsl::Source& file = sources.emplace_back(dsl::Source{.name = "log", .text = "", .directory = "."});
    for (const std::string& set : sets) overrides.push_back({set});
    const planner::ScenarioText text{sources.front(), overrides, catalog, sources};
    projection = project_run(log, file, &text, options, diagnostics);
  }
  std::string mistakes() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list) out += dsl::render(d);
    return out;
  }
};

Projection projection(const Log& log, const sample::Sets& sets, const ProjectionOptions& options = {}) {
  Running r(log, sets, options);
  INFO(r.mistakes());
  REQUIRE(r.projection.has_value());
  return *r.projection;
}

std::string mistakes(const Log& log, const sample::Sets& sets, const std::string& scenario = sample::kVega) {
  const Running r(log, sets, {}, scenario);
  CHECK(!r.projection.has_value());
  return r.mistakes();
}

Log data(std::vector<int64_t> lengths) { return {.lengths = std::move(lengths), .seconds = {}, .sequences = true}; }
Log iterations(std::vector<int64_t> lengths, std::vector<double> seconds = {}) {
  return {.lengths = std::move(lengths), .seconds = std::move(seconds), .sequences = false};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The chapter's claim: found on one machine, right on the others, and nearer than what else may be run. `but`: what
/// may be nearer by chance.
void holds(const Projection& s, const std::string& but = "") {
  REQUIRE(s.machines.size() == 4);
  CHECK(s.selection.met);
  CHECK(s.selection.sample.points.size() <= 20);
  CHECK(geomean_error(s.machines, 0) <= 0.006);
  for (const Machine& m : s.machines) {
    INFO(m.name);
    const Projected& seqpoint = m.projected[0];
    CHECK(std::abs(seqpoint.speedup - m.speedup) <= 0.015);          // away from the first machine
    CHECK(std::abs(1 / seqpoint.speedup - 1 / m.speedup) <= 0.015);  // and back to it
    CHECK(m.speedup < 0.97);                                         // the machines do differ
    for (size_t i = 1; i < s.samples.size(); ++i)
      if (s.samples[i].name != "kmeans" && s.samples[i].name != but)
        CHECK(std::abs(seqpoint.error) < std::abs(m.projected[i].error));
  }
}

}  // namespace

TEST_CASE("SeqPoints of DeepSpeech2 on LibriSpeech, sorted as in its first epoch, project the machines of table 3.2") {
  const Projection s = projection(data(real::kLibriSpeech.lengths()), {"roadmap=seqpoint-machines"},
                                  {.batching = {.order = Order::sorted}});
  CHECK(s.epoch.iterations() == 27'952 / 64);
  CHECK(s.left_over == 27'952 % 64);
  CHECK(s.epoch.lengths.size() == 231);
  holds(s);
}

TEST_CASE("SeqPoints of GNMT on Multi30k project the machines of table 3.2") {
  for (const Order order : {Order::sorted, Order::shuffled}) {
    const Projection s =
        projection(data(real::kMulti30k.lengths()), {"roadmap=seqpoint-machines"}, {.batching = {.order = order}});
    CHECK(s.epoch.iterations() == 453);
    CHECK(s.epoch.lengths.size() > 20);
    holds(s, order == Order::shuffled ? "prior" : "");  // fifty shuffled batches in a row are fifty at random
  }
}

TEST_CASE("times are those of the plan at each length, on each machine") {
  const Projection s =
      projection(iterations({40, 20, 20}), {"roadmap=[{name: cus, set: {cluster.gpu.compute_units: 16}}]"});
  const auto step = [](const std::string& length, const sample::Sets& more) {
    sample::Sets sets{"job.sequence=" + length};
    sets.insert(sets.end(), more.begin(), more.end());
    return planner::make_plan(sample::load(sample::kVega, sets).scenario).step->seconds;
  };
  const double twenty = step("20", {}), forty = step("40", {});
  CHECK(s.epoch.times() == std::vector<double>{twenty, forty});
  CHECK(s.title == "gnmt on vega-fe-16gb");
  REQUIRE(s.machines.size() == 1);
  const sample::Sets few{"cluster.gpu.compute_units=16"};
  CHECK(near(s.machines[0].seconds, 2 * step("20", few) + step("40", few), 1e-12));
  CHECK(near(s.machines[0].speedup, (2 * twenty + forty) / s.machines[0].seconds, 1e-12));
  CHECK(s.machines[0].projected[0].error == 0);  // two lengths are both SeqPoints
}

TEST_CASE("more lengths than one reading leaves open") {
  std::vector<int64_t> lengths;
  for (int64_t i = 1; i <= 600; ++i) lengths.push_back(i);
  const Projection s = projection(iterations(lengths), {});
  CHECK(s.machines.empty());
  REQUIRE(s.epoch.lengths.size() == 600);
  const Projection one = projection(iterations({550}), {});
  CHECK(s.epoch.lengths[549].seconds == one.epoch.lengths[0].seconds);
}

TEST_CASE("measured times grow on another machine as the planned ones do") {
  const Log log = iterations({20, 40, 20}, {3, 10, 5});
  const std::string half = "roadmap=[{name: half, set: {cluster.gpu.speedup: 0.5}}, {name: same}]";
  const Projection s = projection(log, {half}), planned = projection(iterations({20, 40, 20}), {half});
  CHECK(s.epoch.times() == std::vector<double>{4, 10});
  REQUIRE(s.machines.size() == 2);
  CHECK(near(s.machines[1].seconds, 18, 1e-12));
  const std::vector<double> here = planned.epoch.times();
  CHECK(s.machines[0].seconds > 18 * 1.5);
  CHECK(s.machines[0].seconds <= 18 * 2 * (1 + 1e-12));
}

TEST_CASE("a projection is of the ratio where the weights are not the epoch's iterations") {
  const Epoch epoch = epoch_of({{1, 2}, {1, 2}, {2, 4}, {3, 8}});
  const Sample both{.name = "two", .points = {{0, 1}, {2, 3}}, .runs = 2};
  const Machine m = project(epoch, {both}, "there", {1, 3, 5});
  CHECK(m.seconds == 10);
  CHECK(m.speedup == 1.6);
  CHECK(m.projected[0].seconds == 16);  // (1 + 3 * 5) / 4 of 4 iterations
  CHECK(m.projected[0].error == 0.6);
  CHECK(m.projected[0].speedup == 26.0 / 16);
  CHECK(near(geomean_error({m, m}, 0), 0.6, 1e-12));
  Machine low = m;
  low.projected[0].seconds = 10 / 1.6;  // too little by a factor counts as too much by it
  CHECK(near(geomean_error({m, low}, 0), 0.6, 1e-12));
}

TEST_CASE("scenarios that time no log") {
  const Log log = iterations({20, 40});
  CHECK(has(mistakes(log, {"parallelism.microbatch=[4,8]"}),
            "--set:1:24: error: 'parallelism.microbatch' is open: one machine and one layout run all lengths"));
  CHECK(has(mistakes(log, {"parallelism.microbatch=7"}),
            "error: cannot plan a step at a sequence length of 20: batch: global batch 64 is not a multiple"));
  CHECK(has(mistakes(log, {"roadmap=[{name: odd, set: {parallelism.microbatch: 7}}]"}),
            "error: cannot plan a step on 'odd'"));
  CHECK(has(mistakes(log, {"where=job.sequence < 30"}), "a condition of `where` does not hold"));
  CHECK(has(mistakes(log, {"roadmap=longer_sequence"}), "'job.sequence' is what the log says"));
  CHECK(has(mistakes(log, {"roadmap=[{name: a, set: {job.global_batch: 32}}]"}), "'job.global_batch' is what"));
  CHECK(has(mistakes(log, {"roadmap=seqpoint-machine"}), "did you mean 'seqpoint-machines'?"));
  CHECK(has(mistakes(log, {}, "model: {use: bert-lage}\n"), "did you mean 'bert-large'?"));
  CHECK(mistakes(data({4, 5, 6}), {}) ==
        "log:1:1: error: a batch of 64 is larger than the data set: it has 3 sequences\n   1 | \n     | ^\nhint: the "
        "scenario's job.global_batch says the batch\n");
}

TEST_CASE("lengths that do not fit the memory are timed, with one warning") {
  const Running r(iterations({20, 40, 8000}), {"roadmap=seqpoint-machines"});
  REQUIRE(r.projection.has_value());
  CHECK(r.diagnostics.list.size() == 1);
  CHECK(has(r.mistakes(), "warning: 1 of 3 lengths, from 8000, do not fit the memory"));
}
