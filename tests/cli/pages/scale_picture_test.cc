// `scale --format svg`.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/scale_report.h"
#include "planner/scaling/models.h"
#include "tests/cli/harness.h"
#include "tests/cli/svg/xml.h"

namespace {

using planner::scaling::AnalysisOptions;
using planner::scaling::Experiment;
using planner::scaling::Models;

/// Of one series: `value` at each point.
Experiment experiment(const std::vector<std::string>& parameters, const std::vector<std::vector<double>>& points,
                      size_t series, const auto& value) {
  Experiment e{.parameters = parameters, .points = points, .series = {}, .rare = {}};
  for (size_t s = 0; s < series; ++s) {
    e.series.push_back({.callpath = "path" + std::to_string(s), .metric = "time", .points = {}, .values = {}});
    for (size_t i = 0; i < points.size(); ++i) {
      e.series[s].points.push_back(i);
      e.series[s].values.push_back({value(points[i]) * static_cast<double>(s + 1)});
    }
  }
  return e;
}

cli::Scaled scaled_of(const Models& models, const AnalysisOptions& how) {
  cli::Scaled out{.models = models, .analysed = {}, .against = {}};
  for (size_t i = 0; i < models.models.size(); ++i)
    out.analysed.push_back({i, planner::scaling::analyse(models.models[i], how)});
  return out;
}

cli::svg::Curves picture(const Models& models, const AnalysisOptions& how = {}) {
  return cli::scale_picture("runs", scaled_of(models, how), how);
}

const std::vector<std::vector<double>> kRanks{{2}, {4}, {8}, {16}, {32}};
double growing(const std::vector<double>& x) { return 10 + 2 * x[0] + (x[0] == 8 ? 0.5 : 0); }

const char* const kRuns =
    "PARAMETER p\nPOINTS (2) (4) (8) (16) (32)\nREGION main\nMETRIC time\n"
    "DATA 14.1 14\nDATA 18.2 18\nDATA 26 26.3\nDATA 42 41.5\nDATA 74.2 73.9\n";

}  // namespace

TEST_CASE(
    "a picture of scaling models has what was measured, the model up to twice as far, and the prediction interval") {
  const Models models = planner::scaling::fit_models(experiment({"p"}, kRanks, 1, growing));
  const cli::svg::Curves chart = picture(models);
  REQUIRE(chart.curves.size() == 1);
  const cli::svg::Curve& c = chart.curves[0];
  REQUIRE(c.points.size() == 5);
  CHECK(c.points[2].y == 26.5);
  CHECK(c.known == std::pair{2.0, 32.0});
  REQUIRE(c.runs.size() == 1);
  CHECK(c.runs[0].front().x == 2);
  CHECK(c.runs[0].back().x == doctest::Approx(64));
  for (const auto& s : c.runs[0]) {
    CHECK(s.y == doctest::Approx(models.models[0].at(std::vector{s.x})));
    REQUIRE(s.band);
    CHECK((s.band->first < s.y && s.y < s.band->second));
  }
  const auto last = std::ranges::find(c.runs[0], 32.0, &cli::svg::CurveSample::x);
  REQUIRE(last != c.runs[0].end());
  const planner::scaling::Analysis a = planner::scaling::analyse(models.models[0], {});
  CHECK(last->band->first == doctest::Approx(a.points.back().prediction->low));
  CHECK(last->band->second == doctest::Approx(a.points.back().prediction->high));
  CHECK(c.shaded.empty());  // no limits were set
  CHECK(!c.ringed);
  CHECK(chart.x.log);
  CHECK(!chart.y.log);
}

TEST_CASE("axes are logarithmic where points or values span much") {
  const auto chart = [](const std::vector<std::vector<double>>& points, double power) {
    return picture(planner::scaling::fit_models(
        experiment({"p"}, points, 1, [&](const auto& x) { return std::pow(x[0], power); })));
  };
  CHECK(chart(kRanks, 2).y.log);
  CHECK(!chart(kRanks, 1).y.log);
  CHECK(!chart({{10}, {15}, {20}, {25}, {30}}, 1).x.log);
  CHECK(chart({{10}, {15}, {20}, {25}, {40}}, 1).x.log);
}

TEST_CASE("points that were held back are hollow and beyond what is known") {
  const Models models = planner::scaling::fit_models(experiment({"p"}, {{2}, {4}, {6}, {8}, {10}, {50}}, 1, growing),
                                                     {.evaluate_from = 50});
  const cli::svg::Curve c = picture(models).curves.at(0);
  REQUIRE(c.hollow.size() == 1);
  CHECK(c.hollow[0].x == 50);
  CHECK(c.known.second == 10);
  CHECK(c.runs[0].back().x == 50);
}

TEST_CASE("limits are lines, and the configurations that meet them shaded up to the one to take") {
  const Models models = planner::scaling::fit_models(experiment({"p"}, kRanks, 1, growing));
  const AnalysisOptions how{.budget = 0.2, .time_limit = 50};
  const cli::svg::Curves chart = picture(models, how);
  const auto analysis = planner::scaling::analyse(models.models[0], how);
  const cli::svg::Curve& c = chart.curves.at(0);
  CHECK(c.shaded == analysis.choice.valid);
  REQUIRE(c.ringed);
  CHECK(c.ringed->x == analysis.choice.best->x);
  REQUIRE(chart.limits.size() == 2);
  CHECK(chart.limits[0].line.front().y == 50);
  for (const auto& p : chart.limits[1].line)  // core hours: seconds * ranks / 3600
    CHECK(p.y * p.x / 3600 == doctest::Approx(0.2).epsilon(1e-6));
  CHECK(chart.key.shaded == "valid: time at most 50.00 s, cost at most 0.2");
  CHECK(picture(models, {.time_limit = 1}).subtitle == "No p has time at most 1.000 s.");
}

TEST_CASE("the line of a budget follows the user's price; a cost that is given has none") {
  const Models models = planner::scaling::fit_models(experiment({"p"}, kRanks, 1, growing));
  AnalysisOptions how{.budget = 30};
  how.price = [](const planner::scaling::Spent& s) { return 5 + 2 * s.seconds; };
  const cli::svg::Curves priced = picture(models, how);
  for (const auto& p : priced.limits.at(0).line) CHECK(p.y == doctest::Approx(12.5).epsilon(1e-6));
  cli::Scaled given = scaled_of(models, how);
  given.analysed[0].cost_given = true;
  CHECK(cli::scale_picture("runs", given, how).limits.empty());
}

TEST_CASE("of several parameters the first is drawn, with the points where the others are largest") {
  std::vector<std::vector<double>> points;
  for (const double p : {2, 4, 8, 16, 32})
    for (const double q : {1, 2, 3, 4, 5}) points.push_back({p, q});
  const Models models =
      planner::scaling::fit_models(experiment({"p", "q"}, points, 1, [](const auto& x) { return 3 + x[0] * x[1]; }));
  const cli::svg::Curves chart = picture(models);
  REQUIRE(chart.curves.at(0).points.size() == 5);
  for (const auto& p : chart.curves[0].points) CHECK(p.y == doctest::Approx(3 + 5 * p.x));
  CHECK(chart.curves[0].runs[0].back().y == doctest::Approx(3 + 64 * 5).epsilon(1e-6));
  CHECK(chart.subtitle == "q = 5, the largest that were measured.");
}

TEST_CASE("the parts of a segmented model are runs of their own, each with the band of its points") {
  std::vector<std::vector<double>> points;
  for (double p = 1; p <= 10; ++p) points.push_back({p});
  const Models models = planner::scaling::fit_models(
      experiment({"p"}, points, 1, [](const auto& x) { return x[0] <= 6 ? x[0] * x[0] : 30 + x[0]; }),
      {.modeler = planner::scaling::Modeler::segmented});
  const cli::svg::Curve c = picture(models).curves.at(0);
  REQUIRE(c.runs.size() == 2);
  CHECK(c.runs[0].back().x == c.runs[1].front().x);
  for (const auto& run : c.runs)
    for (const auto& s : run) CHECK(s.band->second - s.band->first < 1e-3);  // both are exact
}

TEST_CASE("the planner's own figures stand beside the model, with a gap where a layout does not work") {
  cli::Scaled scaled = scaled_of(planner::scaling::fit_models(experiment({"p"}, kRanks, 1, growing)), {});
  for (const double x : {2, 4, 8, 16, 32, 64}) {
    scaled.against.push_back({.x = x, .measured = {}, .analytical = {}, .low = {}, .high = {}, .why = {}});
    if (x != 8) scaled.against.back().analytical = 9 + 2 * x;
  }
  const cli::svg::Curves chart = cli::scale_picture("runs", scaled, {});
  REQUIRE(chart.curves.size() == 2);
  REQUIRE(chart.curves[1].runs.size() == 2);
  CHECK(chart.curves[1].runs[0].size() == 2);
  CHECK(chart.curves[1].runs[1].front().y == 41);
  CHECK(says(read_xml(draw(chart)), "the planner's own model"));
}

TEST_CASE("six models are shown at most, and it is said that there are more") {
  const cli::svg::Curves chart = picture(planner::scaling::fit_models(experiment({"p"}, kRanks, 9, growing)));
  CHECK(chart.curves.size() == cli::kMostCurves);
  CHECK(chart.subtitle == "The first 6 of 9 models; --callpath and --metric pick others.");
  const Xml xml = read_xml(draw(chart));
  CHECK(xml.wrong == "");
  CHECK(outside(xml) == "");
}

TEST_CASE("scale draws measurements, formulas that are given, and says why it draws nothing") {
  const auto xml_of = [](const std::vector<std::string>& more, const std::string& in, int status = 0) {
    std::vector<std::string> args{"scale", "-", "--quiet", "--format", "svg"};
    args.insert(args.end(), more.begin(), more.end());
    const Ran r = ran(args, in);
    CHECK_MESSAGE(r.status == status, r.err);
    const Xml xml = read_xml(r.out);
    REQUIRE(xml.wrong == "");
    CHECK_FALSE(has_nan(r.out));
    CHECK(outside(xml) == "");
    return xml;
  };
  CHECK(count(xml_of({}, kRuns), "circle") == 5 + 1);
  CHECK(says(xml_of({"--time-limit", "50 s"}, kRuns), "time limit 50.00 s"));
  CHECK(says(xml_of({"--time-limit", "1 s"}, kRuns, 3), "No p has time at most 1.000 s."));
  const std::string given = "parameters: p\nmodels:\n  - {callpath: epoch, metric: time, model: 12 + 3 * p}\n";
  CHECK(says(xml_of({}, given), "no model of a time with points: --metric names another, --at values of p"));
  const Xml formula = xml_of({"--at", "2,64"}, given);
  CHECK(count(formula, "circle") == 0);
  CHECK(count(formula, "polyline") == 1);
  CHECK(says(formula, "12 + 3 * p"));
  const Ran columns = ran({"scale", "-", "--format", "svg", "--columns", "metric"}, kRuns);
  CHECK(columns.status == 2);  // a picture has no columns
}
