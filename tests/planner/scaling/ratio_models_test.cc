// Speed-up and efficiency fitted to the points' own: laws whose ratios have the fitted form, and laws without models.
#include "planner/scaling/ratio_models.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace planner::scaling;  // NOLINT: the test is of this namespace alone

namespace {

const std::vector<double> kDoubling{2, 4, 8, 16, 32};

struct Fitted {
  Models models;
  Analysis analysis;
  Ratios ratios;

  const RatioModel& of(Ratio ratio) const {
    for (const RatioModel& r : ratios.models)
      if (r.of == ratio) return r;
    FAIL("no model of this ratio");
    return ratios.models.front();
  }
};

Fitted fitted(const Experiment& e, const AnalysisOptions& options = {}, const ModelOptions& how = {}) {
  Fitted out;
  out.models = fit_models(e, how);
  REQUIRE(out.models.models.size() == 1);
  const Model& time = out.models.models.front();
  out.analysis = analyse(time, options);
  out.ratios = fit_ratios(std::vector<RatioSubject>{{&time, &out.analysis}}, e.parameters, options, how).front();
  return out;
}

template <class Law> Experiment measured(const std::vector<double>& points, Law&& seconds) {
  Experiment e{.parameters = {"p"}, .points = {}, .series = {}, .rare = {}};
  MeasurementSeries s{.callpath = "epoch", .metric = "time", .points = {}, .values = {}};
  for (const double x : points) {
    s.points.push_back(e.points.size());
    s.values.push_back({seconds(x)});
    e.points.push_back({x});
  }
  e.series = {s};
  return e;
}

std::string formula(const RatioModel& r) { return text(r.model.last(), std::vector<std::string>{"p"}, 4); }

}  // namespace

TEST_CASE("scaling: ratios that are such functions themselves are found") {
  const auto perfect = [](double x) { return 64 / x; };
  const auto slower = [](double x) { return 100 + 5 * x; };
  const Fitted strong = fitted(measured(kDoubling, perfect)), weak = fitted(measured(kDoubling, slower));
  CHECK(formula(strong.of(Ratio::speedup_percent)) == "100 - 200 * p^(-1)");
  CHECK(formula(strong.of(Ratio::parallel_efficiency)) == "1");
  // 2 / p, and at the base 1 by definition as by the law.
  CHECK(strong.of(Ratio::efficiency_extradeep).model.at(std::vector{64.0}) == doctest::Approx(2.0 / 64));
  CHECK(weak.of(Ratio::speedup_percent).model.at(std::vector{64.0}) == doctest::Approx((110 - 420) / 1.10));
  for (const Ratio of : {Ratio::speedup_percent, Ratio::efficiency_extradeep}) {
    CHECK(strong.of(of).off_points < 1e-9);
    CHECK(strong.of(of).off_time < 1e-9);
  }
  CHECK(strong.ratios.why.empty());
}

TEST_CASE("scaling: points' own ratios are of what was measured, not of the model") {
  const auto bumpy = [](double x) { return x == 8 ? 30 : 10 + 200 / x; };
  const Fitted f = fitted(measured(kDoubling, bumpy), {.at = {8, 64}});
  const RatioModel& speedup = f.of(Ratio::speedup_percent);
  REQUIRE(speedup.points.size() == 2);
  CHECK(speedup.points[0].own.value() == doctest::Approx((110 - 30) / 1.10));
  CHECK(!speedup.points[1].own.has_value());
  CHECK(speedup.points[1].from_time == f.analysis.points[1].speedup_percent);
  CHECK(speedup.off_points > 0);
  const RatioModel& paper = f.of(Ratio::efficiency_extradeep);  // its speed-up is that of the fitted model
  CHECK(paper.points[0].own.value() == doctest::Approx(speedup.points[0].fitted / 300));
  CHECK(f.of(Ratio::parallel_efficiency).points[0].own.value() == doctest::Approx(110.0 / 30 / 4));
}

TEST_CASE("scaling: points that are held back are predicted of ratios too") {
  const auto law = [](double x) { return 10 + 200 / x; };
  const Fitted f = fitted(measured({2, 4, 8, 16, 32, 64, 128}, law), {}, {.evaluate_from = 64.0});
  const Model& speedup = f.of(Ratio::speedup_percent).model;
  CHECK(speedup.points.size() == 5);
  REQUIRE(speedup.held.size() == 2);
  CHECK(speedup.at(speedup.held[1]) == doctest::Approx(speedup.held_values[1]));
}

TEST_CASE("scaling: the highest fitted efficiency chooses among what the limits allow") {
  const auto law = [](double x) { return 12 + 260 / x + 0.6 * std::log2(x); };
  const AnalysisOptions options{.cores_per_rank = 8, .budget = 2.8, .time_limit = 40.0};
  const Fitted f = fitted(measured(kDoubling, law), options);
  for (const Ratio of : {Ratio::efficiency_extradeep, Ratio::parallel_efficiency}) {
    const RatioModel& r = f.of(of);
    REQUIRE(r.best.has_value());
    double best = 0, most = -1e9;
    for (const auto& [from, to] : f.analysis.choice.valid)
      for (double x = from; x <= to; ++x)
        if (const double here = r.model.at(std::vector{x}); here > most) best = x, most = here;
    CHECK(*r.best == best);
  }
  CHECK(!f.of(Ratio::speedup_percent).best.has_value());
  const Fitted weak = fitted(measured(kDoubling, [](double x) { return 100 + x; }));
  CHECK(!weak.of(Ratio::parallel_efficiency).best.has_value());
}

TEST_CASE("scaling: ratios that cannot be had say why") {
  struct Case {
    const char* why;
    std::vector<double> seconds;
    size_t models;
  };
  const std::vector<Case> cases{
      {"no models of speed-up and efficiency: the time at p = 2 is 0, and both are ratios to it", {0, 1, 2, 3, 4}, 0},
      {"a point whose time is 0 has no efficiency", {8, 4, 2, 1, 0}, 2},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.why));
    const Fitted f = fitted(measured(kDoubling, [&](double x) { return c.seconds[size_t(std::log2(x)) - 1]; }));
    CHECK(std::ranges::find(f.ratios.why, c.why) != f.ratios.why.end());
    CHECK(f.ratios.models.size() == c.models);
  }
  Fitted given = fitted(measured(kDoubling, [](double x) { return 5 + x; }));
  Model& time = given.models.models.front();
  time.values.clear();
  const auto again = [&] {
    return fit_ratios(std::vector<RatioSubject>{{&time, &given.analysis}}, given.models.parameters, {}, {}).front();
  };
  CHECK(again().given);
  CHECK(again().models.size() == 3);
  time.points.resize(2);
  CHECK(again().why ==
        std::vector<std::string>{"no models of speed-up and efficiency: 2 points of p, and a model needs 3"});
}

TEST_CASE("scaling: a fitted speed-up that passes 100 % is told") {
  // Without exponents below zero a speed-up that levels off is a logarithm, which never does.
  const auto law = [](double x) { return 64 / x; };
  const Fitted f = fitted(measured(kDoubling, law), {}, {.negative = false});
  REQUIRE(!f.ratios.why.empty());
  CHECK(f.ratios.why[0].find("the fitted speed-up passes 100 %, which leaves no time, at p = ") == 0);
}

TEST_CASE("scaling: of several parameters the ratios are of the row where the others are largest") {
  Experiment e{.parameters = {"p", "n"}, .points = {}, .series = {}, .rare = {}};
  MeasurementSeries s{.callpath = "epoch", .metric = "time", .points = {}, .values = {}};
  for (const double n : {1.0, 2.0, 4.0, 8.0, 16.0})
    for (const double p : kDoubling) {
      s.points.push_back(e.points.size());
      s.values.push_back({n * 64 / p});
      e.points.push_back({p, n});
    }
  e.series = {s};
  const Fitted f = fitted(e);
  CHECK(f.of(Ratio::speedup_percent).model.points.size() == kDoubling.size());
  CHECK(formula(f.of(Ratio::speedup_percent)) == "100 - 200 * p^(-1)");
}
