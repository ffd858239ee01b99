// SeqPoints judged by times that their choice did not see.
#include <doctest/doctest.h>

#include <cmath>

#include "planner/resolve/read.h"
#include "planner/studies/seqpoints/project.h"
#include "tests/planner/seqpoint/seqpoint_lengths.h"
#include "tests/planner/workload/lower/fixed_sample.h"

using namespace planner::seqpoint;
using sample::near;

namespace {

struct Judged {
  dsl::Sources sources;
  dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  dsl::Diagnostics diagnostics;
  std::optional<Projection> projection;

  Judged(const Log& log, ProjectionOptions options, const sample::Sets& sets = {}, bool timed = true) {
    sources.push_back({.name = "vega.yaml", .text = sample::kVega, .directory = "/nonexistent"});
    const dsl::Source& file = sources.emplace_back(dsl::Source{.name = "log", .text = "", .directory = "."});
    options.truth_file = &file;
    std::vector<dsl::Override> overrides;
    for (const std::string& set : sets) overrides.push_back({set});
    const planner::ScenarioText text{sources.front(), overrides, catalog, sources};
    projection = project_run(log, file, timed ? &text : nullptr, options, diagnostics);
    for (const dsl::Diagnostic& d : diagnostics.list) INFO(dsl::render(d));
  }
};

/// More lengths than the chapter's n, each as often as it is long.
Log twelve(double power) {
  Log log;
  for (int64_t length = 1; length <= 12; ++length)
    for (int64_t i = 0; i < length; ++i) {
      log.lengths.push_back(length);
      log.seconds.push_back(std::pow(static_cast<double>(length), power));
    }
  return log;
}

}  // namespace

TEST_CASE("seqpoint: a log that the choice did not see judges every sample") {
  const Log seen = twelve(1), truth = twelve(2);
  const Judged j(seen, {.truth = &truth}, {}, false);
  REQUIRE(j.projection.has_value());
  REQUIRE(j.projection->truth.has_value());
  const Machine& m = *j.projection->truth;
  CHECK(m.seconds == 6084);  // sum of n^3 to 12
  REQUIRE(m.projected.size() == j.projection->samples.size());
  double sum = 0;
  for (const Point& p : j.projection->selection.sample.points) {
    const auto length = static_cast<double>(j.projection->epoch.lengths[p.at].length);
    sum += static_cast<double>(p.weight) * length * length;
  }
  CHECK(m.projected[0].seconds == doctest::Approx(sum));
  CHECK(m.projected[0].error == doctest::Approx(sum / 6084 - 1));
  // Where the truth is what the choice saw, it says nothing else.
  const Judged same(seen, {.truth = &seen}, {}, false);
  CHECK(same.projection->truth->projected[0].error ==
        doctest::Approx(
            projection_error(same.projection->epoch, same.projection->samples[0], same.projection->epoch.times())));
}

TEST_CASE("seqpoint: a truth that lacks lengths is no truth") {
  const Log truth{.lengths = {1, 2}, .seconds = {1, 2}};
  const Judged j(twelve(1), {.truth = &truth}, {}, false);
  CHECK(!j.projection.has_value());
  REQUIRE(j.diagnostics.list.size() == 1);
  CHECK(j.diagnostics.list[0].message == "10 of the run's 12 lengths have no time here, the first of them 3");
}

TEST_CASE("seqpoint: chosen by FLOP alone, the SeqPoints hold for waves of tiles") {
  const Log lengths{.lengths = real::kMulti30k.lengths(), .seconds = {}, .sequences = true};
  const ProjectionOptions options{.batching = {.order = Order::sorted}, .truth_sets = {{"operator_models.gemm=wave"}}};
  const Judged j(lengths, options, {"operator_models.gemm=proportional"});
  REQUIRE(j.projection.has_value());
  const Projection& s = *j.projection;
  REQUIRE(s.truth.has_value());
  CHECK(s.truth_times != s.epoch.times());
  CHECK(std::abs(s.truth->projected[0].error) <= 0.01);
  CHECK(std::abs(s.truth->projected[1].error) > 0.05);  // frequent
  CHECK(std::abs(s.truth->projected[3].error) > 0.5);   // worst
  const Judged itself(lengths, {.batching = {.order = Order::sorted}}, {"operator_models.gemm=wave"});
  CHECK(s.truth_times == itself.projection->epoch.times());
}

TEST_CASE("seqpoint: statistics are projected by every sample") {
  Log log = twelve(2);
  log.statistics = {{"kernels", {}}, {"tokens", {}}};
  for (const int64_t length : log.lengths) {
    log.statistics[0].values.push_back(50);
    log.statistics[1].values.push_back(static_cast<double>(length));
  }
  const Judged j(log, {}, {}, false);
  REQUIRE(j.projection.has_value());
  REQUIRE(j.projection->statistics.size() == 2);
  const StatisticProjection &kernels = j.projection->statistics[0], &tokens = j.projection->statistics[1];
  CHECK(kernels.actual == 78 * 50);
  for (const double projected : kernels.projected) CHECK(near(projected, 78 * 50, 1e-12));  // the same at any length
  CHECK(tokens.actual == 650);                                                              // sum of squares to 12
  CHECK(near(tokens.projected[1], 78 * 12, 1e-12));  // the most frequent length is the longest
}
