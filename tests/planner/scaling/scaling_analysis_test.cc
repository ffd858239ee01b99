// Speed-up, efficiency, cost and the configuration to buy, against the paper's equations and a brute force.
#include <doctest/doctest.h>

#include <cmath>

#include "planner/scaling/advice.h"
#include "planner/scaling/analysis.h"
#include "planner/scaling/epoch_steps.h"

using namespace planner::scaling;  // NOLINT: the test is of this namespace alone

namespace {

Model given(Pmnf function, const std::vector<double>& points) {
  Model m;
  m.callpath = "epoch";
  m.metric = "time";
  m.parts = {std::move(function)};
  for (const double x : points) m.points.push_back({x});
  return m;
}

/// c0 + c1 x^i
Pmnf power(double constant, double coefficient, Fraction exponent) {
  return {constant, {{coefficient, {{0, exponent, {}}}}}};
}

MeasurementSeries series(const std::string& callpath, const std::vector<double>& values,
                         const std::string& metric = "time") {
  MeasurementSeries s{.callpath = callpath, .metric = metric, .points = {}, .values = {}};
  for (size_t i = 0; i < values.size(); ++i) {
    s.points.push_back(i);
    s.values.push_back({values[i]});
  }
  return s;
}

Experiment experiment(const std::vector<double>& points) {
  Experiment e{.parameters = {"p"}, .points = {}, .series = {}, .rare = {}};
  for (const double x : points) e.points.push_back({x});
  return e;
}

dsl::Expression expression(const std::string& text) {
  dsl::Diagnostics told;
  dsl::Expression e{dsl::parse_expression(text, {}, told), text, {}};
  REQUIRE(e.tree);
  return e;
}

const std::vector<double> kDoubling{2, 4, 8, 16, 32};

}  // namespace

TEST_CASE("perfect strong scaling: Extra-Deep's efficiency is half where the usual one is whole") {
  const Analysis a = analyse(given(power(0, 64, {-1, 1}), kDoubling), {});
  CHECK(a.scaling == Scaling::strong);
  CHECK(a.base == 2);
  CHECK(a.points[0].speedup_percent == 0);
  CHECK(a.points[0].efficiency_extradeep == 1);  // by definition
  CHECK(a.points[1].speedup_percent == doctest::Approx(50));
  CHECK(a.points[1].efficiency_extradeep == doctest::Approx(0.5));
  for (const AnalysisPoint& p : a.points) {
    CHECK(p.parallel_efficiency == doctest::Approx(1));
    CHECK(p.speedup == doctest::Approx(p.x / 2));
    CHECK(p.core_hours == doctest::Approx(64.0 / 3600));
  }
}

TEST_CASE("equations 11 and 13, and the usual measures of weak scaling") {
  const Analysis a = analyse(given(power(100, 5, {1, 1}), kDoubling), {.cores_per_rank = 8, .gpus_per_rank = 2});
  CHECK(a.scaling == Scaling::weak);
  const double t1 = 110, t3 = 140;
  CHECK(a.points[2].speedup_percent == doctest::Approx((t1 - t3) / (t1 / 100)));
  CHECK(a.points[2].efficiency_extradeep == doctest::Approx((t1 - t3) / (t1 / 100) / ((8 - 2) / (2 / 100.0))));
  CHECK(a.points[2].parallel_efficiency == doctest::Approx(t1 / t3));
  CHECK(a.points[2].speedup == doctest::Approx(t1 / t3 * 4));
  CHECK(a.points[2].core_hours == doctest::Approx(t3 * 8 * 8 / 3600));
  CHECK(a.points[2].gpu_hours == doctest::Approx(t3 * 8 * 2 / 3600));
  CHECK(!a.points[2].prediction.has_value());  // nothing was measured
}

TEST_CASE("weak scaling buys the fewest ranks") {
  const Analysis a = analyse(given(power(100, 5, {1, 1}), kDoubling), {.budget = 3.0, .time_limit = 200.0});
  REQUIRE(a.choice.best.has_value());
  CHECK(a.choice.best->x == 2);
  REQUIRE(a.choice.valid.size() == 1);
  CHECK(a.choice.valid[0].first == 2);
  CHECK(a.choice.valid[0].second == 20);  // 200 s; 3 core hours would allow 36
}

TEST_CASE("strong scaling buys the highest efficiency of those that meet both limits") {
  Pmnf time = power(12, 260, {-1, 1});
  time.terms.push_back({0.6, {{0, {}, {1, 1}}}});
  const AnalysisOptions options{.cores_per_rank = 8, .budget = 2.8, .time_limit = 40.0};
  const Analysis a = analyse(given(time, kDoubling), options);
  double best = 0, best_efficiency = 0, low = 0, high = 0;
  for (double x = 2; x <= 512; ++x) {
    const double seconds = 12 + 260 / x + 0.6 * std::log2(x);
    if (seconds > 40 || seconds * x * 8 / 3600 > 2.8) continue;
    if (low == 0) low = x;
    high = x;
    const double efficiency = (142.6 / seconds) * 2 / x;
    if (efficiency > best_efficiency) best = x, best_efficiency = efficiency;
  }
  REQUIRE(a.choice.best.has_value());
  CHECK(a.choice.best->x == best);
  CHECK(a.choice.valid == std::vector<std::pair<double, double>>{{low, high}});
  AnalysisOptions never = options;
  never.budget = 0.5;
  CHECK(!analyse(given(time, kDoubling), never).choice.best.has_value());
}

TEST_CASE("a model that is negative where it begins has nothing to buy") {
  CHECK(!analyse(given(power(-100, 5, {1, 1}), kDoubling), {}).choice.best.has_value());
}

TEST_CASE("a model of the cost stands in for the time's") {
  const Model cost = given(power(0, 0.082, {81, 50}), kDoubling);
  const Analysis a = analyse(given(power(100, 5, {1, 1}), kDoubling), {.at = {32}}, &cost);
  CHECK(a.points[0].cost == doctest::Approx(22.4987).epsilon(1e-5));
  const Analysis priced = analyse(given(power(100, 5, {1, 1}), kDoubling),
                                  {.at = {32}, .price = [](const Spent& s) { return 2 * s.gpu_hours + s.x; }});
  CHECK(priced.points[0].cost == doctest::Approx(2 * 260 * 32 / 3600.0 + 32));
}

TEST_CASE("parameters of which no value is known are 1") {
  Model m = given({12, {{3, {{0, {1, 1}, {}}, {1, {1, 1}, {}}}}}}, {});
  const Analysis a = analyse(m, {.at = {2, 4}});
  CHECK(a.points[0].seconds == 18);
  CHECK(a.points[1].seconds == 24);
}

TEST_CASE("times that fall get exponents below zero, and the default model its warning") {
  Experiment e = experiment({2, 4, 8, 16, 32, 64});
  std::vector<double> falls, rises;
  for (const auto& point : e.points) {
    falls.push_back(10 + 200 / point[0]);
    rises.push_back(10 + 3 * point[0]);
  }
  e.series = {series("a", falls), series("b", rises), series("c", falls, "visits")};
  const Models models = fit_models(e);
  REQUIRE(models.models.size() == 3);
  CHECK(models.models[0].negative);
  CHECK(models.models[0].last().terms[0].factors[0].polynomial == Fraction{-1, 1});
  REQUIRE(models.models[0].warnings.size() == 2);
  CHECK(models.models[0].warnings[1].find("without them") == 0);
  CHECK(!models.models[1].negative);
  CHECK(!models.models[2].negative);  // visits are not a time
  CHECK(fit_models(e, {.negative = true}).models[2].negative);
  CHECK(!fit_models(e, {.negative = false}).models[0].negative);
}

TEST_CASE("points that are held back are predicted, and too few are refused") {
  Experiment e = experiment({2, 4, 8, 16, 32, 64, 128});
  std::vector<double> values;
  for (const auto& point : e.points) values.push_back(3 + 2 * point[0]);
  e.series = {series("a", values)};
  const Models models = fit_models(e, {.evaluate_from = 64.0});
  REQUIRE(models.models.size() == 1);
  CHECK(models.models[0].points.size() == 5);
  REQUIRE(models.models[0].held.size() == 2);
  CHECK(models.models[0].at(models.models[0].held[1]) == doctest::Approx(259));
  CHECK(fit_models(e, {.evaluate_from = 16.0}).models[0].warnings.size() == 1);  // three points
  const Models none = fit_models(e, {.evaluate_from = 8.0});
  CHECK(none.models.empty());
  CHECK(none.refused == std::vector<std::string>{"a time: 2 points, and a model needs 3"});
}

TEST_CASE("an epoch is its steps: equations 2 to 4, weak scaling in the samples") {
  Experiment e = experiment({2, 4});
  MeasurementSeries validation = series("validation->k", {0.1, 0.2}), alone = series("validation->only", {1, 1});
  validation.phase = alone.phase = Phase::validation;
  e.series = {series("k", {0.5, 0.6}), validation, alone};
  const EpochOptions options{expression("50000 * p"), expression("10000"), expression("256"), expression("p"), {}};
  dsl::Diagnostics told;
  const auto epoch = per_epoch(e, options, told);
  REQUIRE(epoch.has_value());
  REQUIRE(epoch->series.size() == 2);
  CHECK(epoch->series[0].values[0][0] == doctest::Approx(195 * 0.5 + 19 * 0.1));
  CHECK(epoch->series[0].values[1][0] == doctest::Approx(195 * 0.6 + 9 * 0.2));
  CHECK(epoch->series[1].values[1][0] == doctest::Approx(9));
  EpochOptions hybrid = options;
  hybrid.model_parallel = expression("4");
  const std::vector<std::string> names{"p"};
  const std::vector<double> x{8};
  const auto steps = steps_at(hybrid, names, x, told);
  REQUIRE(steps.has_value());
  CHECK(steps->training == std::floor(400000.0 / 2 / 256));
  hybrid.batch = expression("p - 8");
  CHECK(!steps_at(hybrid, names, x, told).has_value());
  REQUIRE(told.list.size() == 1);
  CHECK(told.list[0].message == "the batch is above zero, and this is 0");
}

TEST_CASE("profiling a few steps saves what whole epochs take beyond them") {
  Experiment e = experiment({2, 4, 8});
  MeasurementSeries validation = series("validation->step", {0.1, 0.1, 0.1});
  validation.phase = Phase::validation;
  e.series = {series("k", {0.4, 0.4, 0.4}), series("step", {0.5, 0.5, 0.5}), validation};
  // Five steps of training and five of validation from two epochs; the second point marks none.
  e.profiled = {{.seconds = 6, .epochs = 2}, {}, {.seconds = 6, .epochs = 2}};
  const EpochOptions options{expression("51200"), expression("10240"), expression("256"), expression("p"), {}};
  dsl::Diagnostics told;
  const auto savings = sampling_savings(*per_epoch(e, options, told));
  REQUIRE(savings.size() == 2);
  const auto epoch = [](double ranks) { return 200 / ranks * 0.5 + 40 / ranks * 0.1; };
  for (const auto& s : savings) {
    CHECK(s.profiled_seconds == 6);
    CHECK(s.epochs == 2);
    CHECK(s.epoch_seconds == doctest::Approx(epoch(s.point[0])));
    CHECK(s.saved == doctest::Approx(1 - 6 / (2 * epoch(s.point[0]))));
  }
  CHECK(savings[0].saved > savings[1].saved);  // an epoch of more ranks has fewer steps
  e.series.erase(e.series.begin() + 1);
  CHECK(sampling_savings(*per_epoch(e, options, told)).empty());
  CHECK(sampling_savings(experiment({2})).empty());
}

TEST_CASE("the application is the sum of its categories") {
  Experiment e = experiment({2, 4});
  e.series = {series("application->computation", {5, 6}), series("application->communication", {1, 2}),
              series("application->memory", {0.5, 0.25})};
  add_total(e);
  REQUIRE(e.series.size() == 4);
  CHECK(e.series[3].callpath == "application");
  CHECK(e.series[3].values == std::vector<std::vector<double>>{{6.5}, {8.25}});
  Experiment other = experiment({2, 4});
  other.series = {series("main", {1, 2})};
  add_total(other);
  CHECK(other.series.size() == 1);
}

TEST_CASE("advice: five values of each parameter, a point off the axes, points towards the target, repetitions") {
  const std::vector<std::string> p{"p"}, pn{"p", "n"};
  const auto points = [](const std::vector<Advice>& advice) {
    std::vector<std::vector<double>> out;
    for (const Advice& a : advice) out.push_back(a.point);
    return out;
  };
  using Points = std::vector<std::vector<double>>;
  const Pmnf line = power(1, 1, {1, 1});
  CHECK(advise(given(line, kDoubling), p).empty());
  CHECK(points(advise(given(line, {2, 4, 8}), p)) == Points{{16}, {32}});
  CHECK(points(advise(given(line, {10, 30, 90, 270}), p)) == Points{{810}});
  CHECK(advise(given(line, {2, 4, 8}), p)[0].seconds == 17);
  CHECK(points(advise(given(line, kDoubling), p, 512)) == Points{{64}, {128}});
  CHECK(advise(given(line, kDoubling), p, 128).empty());  // not far
  Model cross = given(line, {});
  for (const double x : kDoubling) cross.points.insert(cross.points.end(), {{x, 10}, {2, 5 * x}});
  CHECK(points(advise(cross, pn)) == Points{{8, 40}});
  cross.points.push_back({8, 40});
  CHECK(advise(cross, pn).empty());
  Model noisy = given(line, kDoubling);
  noisy.variation = 0.3;
  CHECK(advise(noisy, p)[0].reason == "repetitions of a point vary by up to 30 %: measure each more often");
}

TEST_CASE("models that are analysed one after another come out as each by itself") {
  std::vector<Model> models = {given(power(100, 5, {1, 1}), kDoubling), given(power(0, 64, {-1, 1}), kDoubling),
                               given(power(7, 2, {1, 2}), {4, 8, 16}),  given(power(-100, 5, {1, 1}), {4, 8, 16}),
                               given(power(100, 5, {1, 1}), kDoubling), given(power(9, 1, {1, 3}), {100, 101})};
  Model two = given(power(3, 1, {1, 2}), kDoubling);
  two.parts.push_back(power(-20, 5, {1, 1}));
  two.change_points = {8};
  models.push_back(two);
  const Model cost = given(power(1, 1, {2, 1}), kDoubling);
  for (const AnalysisOptions& options :
       {AnalysisOptions{}, AnalysisOptions{.at = {3, 5}}, AnalysisOptions{.budget = 0.2, .time_limit = 130},
        AnalysisOptions{.scaling = Scaling::strong, .extrapolate_to = 5000}, AnalysisOptions{.extrapolate_to = 1}}) {
    Analyser analyser(options);
    for (const Model& m : models)
      for (const Model* of : {static_cast<const Model*>(nullptr), &cost}) {
        const Analysis shared = analyser.analyse(m, of), alone = analyse(m, options, of);
        CHECK(shared.choice.valid == alone.choice.valid);
        REQUIRE(shared.choice.best.has_value() == alone.choice.best.has_value());
        if (alone.choice.best) CHECK(shared.choice.best->x == alone.choice.best->x);
        REQUIRE(shared.points.size() == alone.points.size());
        for (size_t i = 0; i < alone.points.size(); ++i) CHECK(shared.points[i].cost == alone.points[i].cost);
      }
  }
}

TEST_CASE("the choice is that of looking at each number of ranks") {
  for (const Model& m : {given(power(100, 5, {1, 1}), kDoubling), given(power(-100, 5, {1, 1}), kDoubling),
                         given(power(1, 64, {-1, 1}), kDoubling), given(power(200, -3, {1, 1}), kDoubling)})
    for (const Scaling scaling : {Scaling::weak, Scaling::strong})
      for (const std::optional<double> limit : {std::optional<double>(), std::optional(150.0)}) {
        const Analysis a = analyse(m, {.scaling = scaling, .time_limit = limit});
        std::vector<double> valid;
        std::optional<double> best;
        double efficiency = 0;
        for (double x = 2; x <= 512; ++x) {
          const double seconds = m.at(std::vector{x}), base = m.at(std::vector{2.0});
          if (!(seconds > 0 && base > 0) || (limit && seconds > *limit)) continue;
          valid.push_back(x);
          const double reached = base / seconds / (x / 2);
          if (!best || (scaling == Scaling::strong && reached > efficiency)) best = x, efficiency = reached;
        }
        std::vector<double> said;
        for (const auto& [from, to] : a.choice.valid)
          for (double x = from; x <= to; ++x) said.push_back(x);
        CHECK(said == valid);
        CHECK((a.choice.best ? std::optional(a.choice.best->x) : std::nullopt) == best);
      }
}
