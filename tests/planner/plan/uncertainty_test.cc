// How errors of operators add up to the interval of a step, and what the step rests on.
#include "planner/plan/uncertainty.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "planner/plan/plan.h"
#include "tests/planner/workload/lower/mixtures.h"

using operator_models::Provenance;
using planner::Scenario;
using planner::StepPart;
using planner::StepTime;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

constexpr double kTenth = 1.2815515655446004;  // 10th percentile of the standard normal distribution

struct Part {
  const char* kind;
  double seconds, error;
  bool assumed = false;
};
Part part(const char* kind, double seconds, double error, bool assumed = false) {
  return {kind, seconds, error, assumed};
}

planner::ErrorSum sum_of(std::span<const Part> parts) {
  planner::ErrorSum sum;
  for (const Part& p : parts) {
    const auto& names = operator_models::kKindNames;
    const auto kind = std::find(names.begin(), names.end(), std::string_view(p.kind));
    REQUIRE(kind != names.end());
    sum.add(static_cast<size_t>(kind - names.begin()), p.seconds, p.error, p.assumed);
  }
  return sum;
}

/// All of what the operators' errors say.
Scenario all_operators() {
  Scenario s;
  s.software.errors.operators = 1;
  return s;
}

double operators_error(std::span<const Part> parts) {
  return planner::operators_error(planner::kind_errors(all_operators(), sum_of(parts), 1));
}

StepTime step(const Scenario& s) { return *sample::plan(s).step; }
double spread(const Scenario& s) { return std::log(step(s).high_seconds / step(s).seconds); }

std::vector<StepPart> parts_of(const Scenario& s) {
  planner::CostedWorkload costed = planner::cost_workload(s, sample::workload(s));
  planner::Pipelined pipeline = planner::make_pipelined(s, costed);
  planner::make_step(s, costed, pipeline);
  return planner::step_parts(costed, pipeline);
}

const Sets kLayouts[] = {{},
                         {"parallelism.tp=8"},
                         {"parallelism.pp=4", "parallelism.tp=2"},
                         {"parallelism.zero=1", "parallelism.recompute=full"}};

}  // namespace

TEST_CASE("errors of operators: correlated inside a kind, independent between kinds") {
  struct Row {
    const char* what;
    std::vector<Part> parts;
    double expected;
  };
  const double half = 0.1 / std::sqrt(2);
  const Row rows[] = {
      {"nothing", {}, 0},
      {"no time", {part("gemm", 0, 0.1)}, 0},
      {"one operator", {part("gemm", 3, 0.1)}, 0.1},
      {"twice the operators", {part("gemm", 3, 0.1), part("gemm", 3, 0.1)}, 0.1},
      {"one kind, other errors", {part("gemm", 1, 0.1), part("gemm", 3, 0.2)}, 0.175},
      {"two kinds alike", {part("gemm", 1, 0.1), part("attention", 1, 0.1)}, half},
      {"two kinds, many operators", {part("gemm", 1, 0.1), part("vector", 2, 0.1), part("gemm", 1, 0.1)}, half},
      {"four kinds alike",
       {part("gemm", 1, 0.1), part("vector", 1, 0.1), part("lookup", 1, 0.1), part("update", 1, 0.1)},
       0.05},
      {"a kind without error", {part("gemm", 1, 0), part("vector", 1, 0.1)}, 0.05},
      {"no errors", {part("gemm", 1, 0), part("vector", 2, 0)}, 0},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(operators_error(row.parts) == doctest::Approx(row.expected));
  }
}

namespace {

/// A model whose every part is of another size, with 30 dense runs on hopper.
Scenario compared_scenario() {
  Scenario s;
  s.cluster.gpu.generation = "hopper";
  s.software.errors = {
      .software = 0.03, .family = 0.1, .group = 0.02, .run = 0.05, .operators = 1, .known_operators = 0.05};
  s.software.errors.families.push_back(
      {.generation = "hopper", .runs = {20, 10}, .means = {0.1, 0.1}, .operators = 0.07});
  s.software.errors.settle();
  return s;
}

double error_of(const Scenario& s, double operators) {
  const Part parts[] = {part("gemm", 4, operators)};
  return planner::step_error(planner::kind_errors(s, sum_of(parts), 1));
}

}  // namespace

TEST_CASE("runs that were compared say the error, and operators add what they are worse than those runs'") {
  Scenario s = compared_scenario();
  const planner::ErrorFamily& hopper = s.software.errors.families.front();
  const double sd = hopper.outlook.sd;
  CHECK(planner::compared_with(s) == &hopper);
  for (double operators : {0.0, 0.02, 0.07}) CHECK(error_of(s, operators) == doctest::Approx(sd));
  CHECK(error_of(s, 0.2) == doctest::Approx(std::sqrt(sd * sd + 0.2 * 0.2 - 0.07 * 0.07)));
  s.job.precision = planner::Precision::fp8;  // of 8 bits none was compared
  CHECK(!planner::compared_with(s));
  CHECK(error_of(s, 0) > sd);
  s.job.precision = planner::Precision::bf16;
  s.model.experts.count = 8;
  CHECK(!planner::compared_with(s));
  s.model.experts.count = 0;
  s.cluster.gpu.generation = "blackwell";
  CHECK(!planner::compared_with(s));
}

TEST_CASE("a run outside of what its family has shown is less certain") {
  Scenario s = compared_scenario();
  s.software.errors.distance = 0.1;
  planner::ErrorFamily& hopper = s.software.errors.families.front();
  hopper.gpus = {8, 64}, hopper.tp = {1, 8};
  s.cluster.gpus = 64;
  s.parallelism.tp = 8;
  const double inside = error_of(s, 0);
  CHECK(inside == doctest::Approx(hopper.outlook.sd));
  s.cluster.gpus = 256;
  CHECK(error_of(s, 0) == doctest::Approx(std::hypot(inside, 0.2)));
  s.parallelism.tp = 16;
  CHECK(error_of(s, 0) == doctest::Approx(std::sqrt(inside * inside + 0.04 + 0.01)));
}

TEST_CASE("a family's runs move its plans where they were far off, and widen them as much") {
  Scenario s = compared_scenario();
  planner::ErrorModel& model = s.software.errors;
  const planner::ErrorOutlook still = planner::error_outlook(s);
  CHECK(planner::error_shift(s) == 1);
  model.strays = {.family = 10, .group = 0.01, .scatter = 1};
  model.settle();
  CHECK(planner::error_shift(s) == doctest::Approx(std::exp(0.1)));  // the mean of its groups
  CHECK(planner::error_outlook(s).sd == doctest::Approx(still.sd).epsilon(0.01));
  model.strays.scatter = 0;
  model.settle();
  CHECK(planner::error_outlook(s).sd < still.sd);
  model.strays.family = 0;  // nothing is believed
  model.settle();
  CHECK(planner::error_shift(s) == 1);
  model.strays.family = 10;
  for (double& of_group : model.families.front().means) of_group = -of_group;
  model.settle();
  CHECK(planner::error_shift(s) < 1);
}

TEST_CASE("as if nobody had measured a family: the plan of a catalogue without it") {
  for (const Sets& layout : kLayouts)
    for (const double strays : {0.0, 10.0}) {
      Scenario s = llama(layout);
      planner::ErrorModel& model = s.software.errors;
      const auto& names = model.families;
      const auto own = std::ranges::find_if(names, [&](const auto& f) { return &f == planner::compared_with(s); });
      REQUIRE(own != names.end());
      const auto at = own - names.begin();
      model.strays = {.family = strays, .group = 0.01, .scatter = 1};
      model.operators = 1, model.known_operators = 0.01;
      for (double& mean : model.families[static_cast<size_t>(at)].means) mean += 0.3;
      model.settle();
      const planner::Plan with = sample::plan(s);
      CHECK((planner::error_shift(s) != 1) == (strays > 0));
      Scenario other = s;
      other.software.errors.families.erase(other.software.errors.families.begin() + at);
      other.software.errors.settle();
      const StepTime without = step(other), unseen = planner::unseen_step(s, *with.step, with.errors);
      CHECK(near(unseen.seconds, without.seconds));
      CHECK(near(unseen.low_seconds, without.low_seconds));
      CHECK(near(unseen.high_seconds, without.high_seconds));
      CHECK(planner::unseen_step(other, without, {}).high_seconds == without.high_seconds);
    }
}

TEST_CASE("one's own runs move a plan, published ones that were close do not") {
  Scenario s = compared_scenario();
  CHECK(planner::error_shift(s) == 1);  // published runs widen, and move nothing
  CHECK(planner::error_outlook(s).sd > 0.1);
  s.software.errors.own = {.generation = "hopper", .runs = 1, .mean = 0.4};
  const planner::ErrorOutlook with = planner::error_outlook(s);
  CHECK(with.mean > 0.3);
  CHECK(with.mean < 0.4);
  s.software.errors.own.runs = 100;
  CHECK(planner::error_outlook(s).mean == doctest::Approx(0.4).epsilon(0.01));
  s.cluster.gpu.generation = "ampere";
  CHECK(!planner::own_runs(s));
  CHECK(planner::error_shift(s) == 1);
}

TEST_CASE("the interval holds the step, is symmetric in the logarithm, and has no width without error") {
  for (double error : {0.0, 0.01, 0.08, 0.3, 2.0})
    for (double seconds : {1e-6, 1.0, 3600.0}) {
      const StepTime t = planner::interval(seconds, error);
      CAPTURE(error);
      CHECK(t.seconds == seconds);
      CHECK(t.low_seconds <= seconds);
      CHECK(t.high_seconds >= seconds);
      CHECK(near(t.low_seconds * t.high_seconds, seconds * seconds));
      CHECK(std::log(t.high_seconds / seconds) == doctest::Approx(kTenth * error));
      CHECK((error > 0) == (t.low_seconds < t.high_seconds));
    }
}

TEST_CASE("parts are the operators of the stage, every call of a step counted") {
  for (const Sets& layout : kLayouts) {
    const planner::Plan plan = sample::plan(llama(layout));
    double seconds = 0;
    for (const StepPart& p : parts_of(llama(layout))) {
      seconds += p.seconds;
    }
    const planner::Breakdown& b = *plan.breakdown;  // all but waiting and the host
    CHECK(near(seconds * planner::error_shift(llama(layout)), b.sum() - b.bubble - b.overhead, 1e-6));
  }
}

TEST_CASE("a plan's interval: operators and runs add in squares") {
  for (const Sets& layout : kLayouts) {
    Scenario s = llama(layout);
    s.software.errors = {.software = 0, .family = 0, .group = 0, .run = 0, .operators = 1};
    s.software.errors.settle();
    const double operators = spread(s);
    CHECK(operators == doctest::Approx(kTenth * planner::operators_error(sample::plan(s).errors)));
    for (double error : {0.05, 0.08, 0.3}) {
      s.software.errors.run = error;
      CHECK(near(spread(s), std::hypot(operators, kTenth * error)));
    }
  }
}

TEST_CASE("a worse cost model widens the interval and leaves the step alone") {
  Scenario s = llama({"parallelism.tp=4"});
  s.software.errors.operators = 1;
  const StepTime before = step(s);
  for (auto& [precision, row] : s.calibration.gemm) row.relative_error *= 3;
  const StepTime after = step(s);
  CHECK(after.seconds == before.seconds);
  CHECK(after.high_seconds > before.high_seconds);
  CHECK(after.low_seconds < before.low_seconds);
}

TEST_CASE("more layers and more microbatches of the same kind leave the relative error as it is") {
  const Sets alone{"cluster.gpus=1", "job.optimizer=sgd"};  // nothing but blocks, and one update
  const auto error = [&](const char* batch) {
    return planner::operators_error(sample::plan(sample::scenario(sample::kLlama, alone + Sets{batch})).errors);
  };
  CHECK(near(error("job.global_batch=64"), error("job.global_batch=128"), 0.01));
}

TEST_CASE("shares by kind and provenance sum to 1, the largest first") {
  const StepPart parts[] = {{.kind = "gemm", .provenance = Provenance::measured, .seconds = 2},
                            {.kind = "vector", .provenance = Provenance::assumed, .seconds = 1},
                            {.kind = "gemm", .provenance = Provenance::assumed, .seconds = 4},
                            {.kind = "lookup", .provenance = Provenance::assumed, .seconds = 0},
                            {.kind = "vector", .provenance = Provenance::assumed, .seconds = 1}};
  const std::vector<planner::SourceShare> shares = planner::source_shares(parts);
  REQUIRE(shares.size() == 3);
  CHECK(shares[0].kind == "gemm");
  CHECK(shares[0].provenance == Provenance::assumed);
  CHECK(shares[0].share == 0.5);
  CHECK(shares[1].share == 0.25);
  CHECK(shares[2].share == 0.25);
  CHECK(planner::source_shares({}).empty());
  for (const Sets& layout : kLayouts) {
    double sum = 0;
    for (const planner::SourceShare& share : sample::plan(gpt(layout)).sources) sum += share.share;
    CHECK(near(sum, 1));
  }
}

TEST_CASE("a layout that cannot be rests on nothing") {
  CHECK(planner::make_plan(gpt({"parallelism.dp=3"})).sources.empty());
}

TEST_CASE("the share of assumed seconds adds up over parts, and is the one of the step's sources") {
  const std::array parts{part("gemm", 3, 0.1), part("vector", 1, 0.2, true), part("collective", 4, 0, true)};
  CHECK(planner::kind_errors(Scenario(), sum_of(parts), 1).assumed == doctest::Approx(5.0 / 8));
  planner::ErrorSum twice = sum_of(parts);
  twice.add(3, sum_of(std::array{part("gemm", 2, 0.1, true)}));
  CHECK(planner::kind_errors(Scenario(), twice, 1).assumed == doctest::Approx(11.0 / 14));
  CHECK(planner::kind_errors(Scenario(), planner::ErrorSum(), 1).assumed == 0);
  for (const char* cluster : {"dgx-a100-80gb", "dgx-h100", "mi300x-oam"})
    for (const Sets& layout : kLayouts) {
      CAPTURE(cluster);
      const planner::Plan plan =
          sample::plan(sample::scenario(sample::kLlama, layout + Sets{"cluster.use=" + std::string(cluster)}));
      double assumed = 0;
      for (const planner::SourceShare& source : plan.sources)
        if (source.provenance == Provenance::assumed) assumed += source.share;
      CHECK(plan.errors.assumed == doctest::Approx(assumed).epsilon(1e-9));
    }
}
