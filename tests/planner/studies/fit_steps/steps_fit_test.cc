// Numbers of profiles fitted to runs that were made with known ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tests/planner/studies/fit_steps/steps_sample.h"

using doctest::Approx;
using planner::FittedNumber;
using planner::Reason;
using planner::RunConfig;
using planner::Scenario;
using planner::StepProblem;
using planner::StepsFit;
using steps::many;
using steps::MeasuredRun;
using steps::number;

namespace {

const std::string kSustained = "cluster.gpu.calibration.gemm.bf16.sustained";

}  // namespace

TEST_CASE("every row of the table names a number of the language, once, with a prior") {
  std::set<std::string> paths;
  const auto run = steps::measured(steps::job(4), {}, "g");
  steps::Scenario scenario = run.scenario;
  for (const planner::FitParameter& p : planner::fit_parameters()) {
    CHECK_MESSAGE(paths.insert(p.path).second, p.path);
    CHECK(p.error > 0);
    const auto path = planner::path_in(p, scenario);
    REQUIRE_MESSAGE(path, p.path);
    const auto places = planner::numbers_at(scenario, *path);
    REQUIRE_MESSAGE(!places.empty(), *path);
    CHECK(path->starts_with(planner::owner_prefix(p.owner)));
    for (const planner::ScenarioNumber& place : places) CHECK(place.least <= *place.value);
    for (const planner::ScenarioNumber& place : places) CHECK(*place.value <= place.most);
  }
}

TEST_CASE("numbers are found where the language has them, and nowhere else") {
  steps::Scenario s = steps::measured(steps::job(4), {}, "g").scenario;
  CHECK(planner::numbers_at(s, "software.launch").at(0).value == &s.software.launch.value);
  CHECK(planner::numbers_at(s, "cluster.network[1].latency").at(0).value == &s.cluster.network[1].latency.value);
  CHECK(planner::numbers_at(s, kSustained).at(0).value == &s.calibration.gemm["bf16"].sustained);
  CHECK(planner::numbers_at(s, "cluster.gpu.calibration.contention.*.slowdown").size() ==
        s.calibration.contention.size());
  for (const char* path : {"software.launches", "software", "software.", "cluster.network[9].latency", "", "launch",
                           "software.overlap.tensor", "software.name", "cluster.gpu.calibration.gemm.int4.sustained"})
    CHECK_MESSAGE(planner::numbers_at(s, path).empty(), path);
}

TEST_CASE("known numbers are found again") {
  const StepsFit fit = steps::fit(many({{kSustained, 0.9}, {"software.step_overhead", 0.15}}));
  REQUIRE(number(fit, kSustained));
  REQUIRE(number(fit, "software.step_overhead"));
  CHECK(number(fit, kSustained)->fitted == Approx(0.9).epsilon(0.02));
  CHECK(number(fit, "software.step_overhead")->fitted == Approx(0.15).epsilon(0.15));
  CHECK(*fit.before.geomean > 0.05);
  CHECK(*fit.after.geomean < 0.01);
  CHECK(*fit.left_out.geomean < 0.02);
  CHECK(fit.converged);
}

TEST_CASE("a profile that is left out takes what others of its kind came to") {
  // Each profile leaves 0.1 s of a step out. Without its rows, the others' mean says a part of it, the more the more
  // they are.
  const auto left_out_share = [](const std::vector<const char*>& profiles) {
    std::vector<MeasuredRun> runs;
    for (const char* profile : profiles)
      for (const int64_t tp : {1, 2, 4}) {
        RunConfig config = steps::job(1, tp);
        config.software = profile;
        const Scenario s = *planner::run_scenario(config, steps::catalog()).scenario;
        runs.push_back(
            steps::measured(config, {{"software.step_overhead", s.software.step_overhead.value + 0.1}}, profile));
      }
    const StepsFit fit = steps::fit(std::move(runs), {"software.step_overhead"});
    return *fit.left_out.geomean / *fit.before.geomean;
  };
  const double by_three = left_out_share({"megatron-core", "megatron-2021", "internevo", "deepspeed"});
  const double by_one = left_out_share({"megatron-core", "megatron-2021"});
  CHECK(by_three < 0.55);
  CHECK(by_three < by_one);
  CHECK(by_one < 0.8);
}

TEST_CASE("reserved memory is found from memory, and times are left in peace") {
  const StepsFit fit = steps::fit(many({{"software.memory.fragmentation", 1.25}}));
  REQUIRE(number(fit, "software.memory.fragmentation"));
  CHECK(*fit.memory_after.geomean < 0.5 * *fit.memory_before.geomean);
  for (const FittedNumber& n : fit.numbers) CHECK_MESSAGE(n.path.find(".memory.") != std::string::npos, n.path);
}

TEST_CASE("runs as predicted move nothing") {
  const StepsFit fit = steps::fit(many({}));
  CHECK(fit.numbers.empty());
  CHECK(*fit.after.geomean < 1e-9);
}

TEST_CASE("what no row depends on, too few rows feel or no row can tell is left alone, with the reason") {
  std::vector<MeasuredRun> one_node;
  for (int64_t batch : {8, 16, 32, 64}) one_node.push_back(steps::measured(steps::job(1, 1, batch), {}, "g", 1.1));
  one_node.push_back(steps::measured(steps::job(4), {}, "g", 1.1));
  StepProblem problem(std::move(one_node));
  dsl::Diagnostics diagnostics;
  const StepsFit fit = planner::fit_steps(problem, {}, diagnostics);
  auto reason = [&](const std::string& path) {
    for (const planner::LeftAlone& l : fit.choice.left_alone)
      if (problem.instances()[l.instance].path == path) return planner::text_of(l.reason);
    return "fitted";
  };
  CHECK(reason("software.experts.wait") == planner::text_of(Reason::unused));
  CHECK(reason("software.straggling") == planner::text_of(Reason::few_rows));
  for (const FittedNumber& n : fit.numbers) CHECK(n.rows >= 3);
}

TEST_CASE("a number that is named is fitted to a single row, between its pull and what the row says") {
  double last = 1;
  for (int rows : {1, 2, 4}) {
    std::vector<MeasuredRun> runs;
    for (int i = 0; i < rows; ++i) runs.push_back(steps::measured(steps::job(1, 1, 8 << i), {}, "g", 1.1));
    CHECK(steps::fit(runs, {}).numbers.empty() == (rows < 3));
    const StepsFit fit = steps::fit(runs, {kSustained});
    REQUIRE(fit.numbers.size() == 1);
    CHECK(fit.numbers[0].fitted < last);  // more rows, less of the pull
    CHECK(fit.numbers[0].fitted > 0.8);   // GEMMs are half of these steps
    last = fit.numbers[0].fitted;
  }
}

TEST_CASE("the pull shares out what the rows cannot tell apart, and the errors say so") {
  std::vector<MeasuredRun> runs;  // one configuration: a slower GEMM and a pause between steps look alike
  for (double factor : {1.09, 1.1, 1.11}) runs.push_back(steps::measured(steps::job(), {}, "g", factor));
  const StepsFit fit = steps::fit(runs, {kSustained, "software.step_overhead"});
  REQUIRE(fit.numbers.size() == 2);
  const FittedNumber &overhead = fit.numbers[0], &sustained = fit.numbers[1];
  CHECK(overhead.fitted > 0.01);
  CHECK(overhead.fitted < 0.2);  // two of the prior's errors
  CHECK(sustained.fitted < 0.99);
  CHECK(sustained.fitted > 0.8);
  CHECK(overhead.error > 0.05);  // hardly less than the prior's 0.1 s
  CHECK(sustained.error > 0.03);
}

TEST_CASE("only the rows of an owner are planned again, and no slope is missed") {
  std::vector<MeasuredRun> runs = many({});
  steps::RunConfig other = steps::job(2);
  other.software = "torchtitan", other.zero_stage = "3";
  for (int i = 0; i < 3; ++i) runs.push_back(steps::measured(other, {}, "other"));
  StepProblem problem(std::move(runs));
  const size_t n = problem.instances().size();
  std::vector<size_t> all(n);
  for (size_t i = 0; i < n; ++i) all[i] = i;
  const std::vector<double> u(n, 0);
  const auto sparse = problem.slopes(all, u, std::vector<char>(problem.rows().size(), 1));
  auto given = [&](size_t row, size_t instance) {
    for (const planner::RowSlope& s : sparse)
      if (s.row == row && s.instance == instance) return s.slope;
    return planner::LogRatios{};
  };
  for (size_t i = 0; i < n; ++i) {
    const double h = problem.instances()[i].most_u() > 0.01 ? 0.01 : -0.01;
    for (size_t row = 0; row < problem.rows().size(); ++row) {
      problem.instances()[i].set(0);
      const planner::LogRatios before = problem.log_ratios(row);
      problem.instances()[i].set(h);
      const planner::LogRatios after = problem.log_ratios(row);
      if (!problem.instances()[i].parameter->memory)
        CHECK(given(row, i).time == Approx((after.time - before.time) / h).epsilon(1e-6));
      else CHECK(given(row, i).memory == Approx((after.memory - before.memory) / h).epsilon(1e-6));
    }
    problem.instances()[i].set(0);
  }
}

TEST_CASE("labels and the order of rows change no number: groups are weights and folds alone") {
  const steps::Truth truth{{kSustained, 0.92}, {"software.microbatch_overhead", 0.004}};
  std::vector<MeasuredRun> runs = many(truth);
  const StepsFit plain = steps::fit(runs);
  std::mt19937 random(5);
  std::shuffle(runs.begin(), runs.end(), random);
  for (size_t i = 0; i < runs.size(); ++i) {
    runs[i].id = "x" + std::to_string(i);
    runs[i].group = "other " + runs[i].group;
  }
  const StepsFit shuffled = steps::fit(runs);
  REQUIRE(shuffled.numbers.size() == plain.numbers.size());
  for (const FittedNumber& n : plain.numbers) {
    REQUIRE(number(shuffled, n.path));
    CHECK(number(shuffled, n.path)->fitted == Approx(n.fitted).epsilon(1e-6));
  }
  CHECK(*shuffled.left_out.geomean == Approx(*plain.left_out.geomean).epsilon(1e-4));
}

TEST_CASE("an odd row does not drive the fit, and many equal rows do not swamp a few") {
  std::vector<MeasuredRun> runs = many({{kSustained, 0.9}});
  const double clean = number(steps::fit(runs), kSustained)->fitted;
  runs[0].measured.seconds = *runs[0].measured.seconds * 3;
  const StepsFit fit = steps::fit(runs, {kSustained});
  CHECK(number(fit, kSustained)->fitted == Approx(clean).epsilon(0.02));
  const std::vector<planner::RowWeight> weights = planner::row_weights(runs);
  std::vector<MeasuredRun> crowd(40, runs[0]);
  CHECK(planner::row_weights(crowd)[0].time < weights[0].time);
  CHECK(40 * std::pow(planner::row_weights(crowd)[0].time, 2) == Approx(std::sqrt(40)));
  CHECK(planner::huber(1) == 1);
  CHECK(planner::huber(-9) > -9);
  CHECK(planner::huber_slope(9) == Approx((planner::huber(9.001) - planner::huber(8.999)) / 0.002).epsilon(1e-3));
}

TEST_CASE("budgets: the most telling numbers come first, and asking for more is refused") {
  std::vector<MeasuredRun> runs = many({{kSustained, 0.8}});
  for (const char* kernel : {"triton-flash", "te", "flash1"})
    for (MeasuredRun& run : many({{kSustained, 0.8}}, kernel)) runs.push_back(std::move(run));
  StepProblem problem(std::move(runs));
  std::vector<std::string> asked;
  for (const planner::Instance& i : problem.instances())
    if (i.parameter->owner == planner::Owner::calibration) asked.push_back(i.path);
  REQUIRE(asked.size() > 6);
  dsl::Diagnostics refused, fine;
  CHECK(planner::fit_steps(problem, asked, refused).numbers.empty());
  REQUIRE(refused.has_errors());
  CHECK(refused.list[0].message.find("of calibration 'a100-sxm' are asked for, its budget is 6") != std::string::npos);
  const StepsFit fit = planner::fit_steps(problem, {}, fine);
  CHECK_FALSE(fine.has_errors());
  CHECK(number(fit, kSustained));
  for (const planner::OwnerCount& c : fit.counts) CHECK(c.count <= planner::budget(c.owner));
  CHECK(std::any_of(fit.choice.left_alone.begin(), fit.choice.left_alone.end(),
                    [](const planner::LeftAlone& l) { return l.reason == Reason::budget; }));
}

TEST_CASE("three runs of one's own cluster: a move, and no farther than the priors let it go") {
  for (double factor : {1.1, 1.5}) {
    std::vector<MeasuredRun> runs;
    for (int64_t nodes : {1, 2, 4}) runs.push_back(steps::measured(steps::job(nodes), {}, "", factor));
    StepProblem problem(runs);
    dsl::Diagnostics diagnostics;
    const StepsFit fit = planner::fit_steps(problem, {}, diagnostics);
    REQUIRE(!fit.numbers.empty());
    CHECK(*fit.after.geomean < 0.5 * *fit.before.geomean);
    CHECK(*fit.left_out.geomean < *fit.before.geomean);  // each run in turn: there is one group
    for (const FittedNumber& n : fit.numbers) {
      CHECK((n.at_bound || n.error > 0));
      CHECK(n.groups == std::vector<std::string>{""});
    }
  }
}
