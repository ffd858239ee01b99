#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/pages/scale_report.h"
#include "dsl/unit_sizes.h"

namespace cli {
namespace {

using namespace planner::scaling;
using Points = std::vector<std::vector<double>>;

constexpr int kSamples = 96;       // of a curve
constexpr double kBeyond = 2;      // times the largest point: the reach of a picture without another limit
constexpr double kLogXFrom = 4;    // ratio of the largest point to the smallest
constexpr double kLogYFrom = 100;  // of the largest value
constexpr double kAround = 1.25;   // times the end of a valid region: shows what follows it

bool limited(const AnalysisOptions& how) { return how.budget || how.time_limit; }
bool in_seconds(const Model& m) { return may_be_time(m.metric); }
std::string value_text(const Model& m, double value) {
  return in_seconds(m) ? figure(Data(value), Unit::seconds) : four_digits(value);
}

/// What all curves are drawn over.
struct View {
  double from = INFINITY, to = 0;
  bool log = false;
  std::vector<double> grid(double low, double high) const {
    std::vector<double> out;
    for (int i = 0; i <= kSamples; ++i) {
      const double share = static_cast<double>(i) / kSamples;
      out.push_back(log ? low * std::pow(high / low, share) : low + (high - low) * share);
    }
    out.back() = high;
    return out;
  }
};

/// Smallest and largest value of the first parameter; for a model without points, of the requested ones.
std::pair<double, double> measured(const Model& m, const AnalysisOptions& how) {
  std::vector<double> x;
  for (const auto& point : m.points) x.push_back(point[0]);
  if (x.empty()) x = how.at;
  const auto [low, high] = std::ranges::minmax(x);
  return {low, high};
}

/// Ends of valid regions, except those that are only the end of the examined range.
void add_valid(const Analysed& a, const AnalysisOptions& how, double largest, View& view) {
  const double looked_at = std::floor(how.extrapolate_to.value_or(kReach * largest));
  for (const auto& [from, to] : a.analysis.choice.valid) {
    view.to = std::max(view.to, std::min(kAround * from, looked_at));
    if (to < looked_at) view.to = std::max(view.to, std::min(kAround * to, looked_at));
  }
  if (a.analysis.choice.best) view.to = std::max(view.to, a.analysis.choice.best->x);
}

View view_of(const Models& models, const std::vector<Analysed>& shown, const AnalysisOptions& how) {
  View view;
  double known = 0;
  for (const Analysed& a : shown) {
    const Model& m = models.models[a.model];
    const auto [low, high] = measured(m, how);
    known = std::max(known, high);
    view.from = std::min(view.from, low);
    view.to = std::max(view.to, how.at.empty() ? kBeyond * high : high);
    for (const auto& point : m.held) view.to = std::max(view.to, point[0]), known = std::max(known, point[0]);
    for (const double x : how.at) view.from = std::min(view.from, x), view.to = std::max(view.to, x);
    if (limited(how)) add_valid(a, how, high, view);
  }
  view.to = std::max(view.to, how.extrapolate_to.value_or(0));
  if (view.to <= view.from) view.to = kBeyond * view.from;
  view.log = std::max(known, how.at.empty() ? 0 : std::ranges::max(how.at)) >= kLogXFrom * view.from;
  return view;
}

/// Coordinates with every parameter at its largest measured value.
std::vector<double> corner(const Model& m, size_t parameters) {
  std::vector<double> out(parameters, m.points.empty() ? 1 : 0);
  for (const auto& point : m.points)
    for (size_t p = 0; p < point.size(); ++p) out[p] = std::max(out[p], point[p]);
  return out;
}

/// One part of the model, with the band of its points: a change point belongs to both parts.
std::vector<svg::CurveSample> run_of(const Model& m, size_t part, std::vector<double> at,
                                     const std::vector<double>& grid) {
  Points points;
  std::vector<double> values;
  for (size_t i = 0; i < m.values.size(); ++i) {
    const double x = m.points[i][0];
    if (m.parts.size() > 1 && (part == 0 ? x > m.change_points.front() : x < m.change_points.back())) continue;
    points.push_back(m.points[i]);
    values.push_back(m.values[i]);
  }
  std::optional<Band> band;
  if (!values.empty()) band.emplace(m.parts[part], points, values);
  std::vector<svg::CurveSample> out;
  for (const double x : grid) {
    at[0] = x;
    out.push_back({x, m.parts[part].at(at)});
    if (const auto interval = band ? band->prediction(at) : std::nullopt)
      out.back().band = {interval->low, interval->high};
  }
  return out;
}

/// A run for each part of the model, with samples at both ends of the measured range.
std::vector<std::vector<svg::CurveSample>> runs(const Model& m, const View& view, const std::vector<double>& at,
                                                const std::pair<double, double>& known) {
  std::vector<std::vector<svg::CurveSample>> out;
  for (size_t part = 0; part < m.parts.size(); ++part) {
    const double from = part == 0 ? view.from : m.change_points.front();
    const double to = part + 1 < m.parts.size() ? m.change_points.front() : view.to;
    std::vector<double> grid = view.grid(from, to);
    for (const double end : {known.first, known.second})
      if (end > from && end < to) grid.insert(std::ranges::lower_bound(grid, end), end);
    out.push_back(run_of(m, part, at, grid));
  }
  return out;
}

/// Those of the line that is drawn: every other parameter is where the line has it.
std::vector<svg::CurvePoint> points_of(const Model& m, const Points& points, const std::vector<double>& values,
                                       const std::vector<double>& at, const std::string& parameter) {
  std::vector<svg::CurvePoint> out;
  for (size_t i = 0; i < values.size(); ++i)
    if (std::equal(at.begin() + 1, at.end(), points[i].begin() + 1))
      out.push_back({points[i][0], values[i],
                     fmt::format("{} = {}: {}, the model {}", parameter, four_digits(points[i][0]),
                                 value_text(m, values[i]), value_text(m, m.at(points[i])))});
  return out;
}

std::string formula(const Model& m, const std::vector<std::string>& parameters) {
  constexpr int kDigits = 4;
  std::string out;
  for (size_t i = 0; i < m.parts.size(); ++i) {
    if (i > 0) out += fmt::format(" up to {}, then ", four_digits(m.change_points.front()));
    out += text(m.parts[i], parameters, kDigits);
  }
  return out;
}

svg::Curve curve_of(const Models& models, const Analysed& a, const View& view, const AnalysisOptions& how,
                    bool with_metric) {
  const Model& m = models.models[a.model];
  const std::string& parameter = models.parameters[0];
  const std::vector<double> at = corner(m, models.parameters.size());
  const std::string name = m.callpath.empty() ? "the run" : m.callpath;
  svg::Curve out{.label = {with_metric ? name + ", " + m.metric : name, formula(m, models.parameters)},
                 .points = points_of(m, m.points, m.values, at, parameter),
                 .hollow = points_of(m, m.held, m.held_values, at, parameter),
                 .known = measured(m, how)};
  if (m.quality) out.label.push_back(fmt::format("SMAPE {:.1f} %", m.quality->smape));
  out.runs = runs(m, view, at, out.known);
  if (!limited(how)) return out;
  out.shaded = a.analysis.choice.valid;
  if (const auto& best = a.analysis.choice.best) {
    const std::string text = fmt::format("{} = {}: {}", parameter, four_digits(best->x), value_text(m, best->seconds));
    out.ringed = {best->x, best->seconds, fmt::format("{}, cost {}", text, four_digits(best->cost)), text};
  }
  return out;
}

/// The planner's figures; a line ends where the layout has a mistake.
svg::Curve analytical(const std::vector<AgainstPoint>& points, const std::pair<double, double>& known) {
  svg::Curve out{.label = {"the planner's own model"}, .runs = {{}}, .known = known};
  for (const AgainstPoint& p : points) {
    if (p.analytical) out.runs.back().push_back({p.x, *p.analytical});
    else if (!out.runs.back().empty()) out.runs.emplace_back();
  }
  return out;
}

/// The longest time at x that the budget pays for, by bisection: prices are the user's own. REQUIRES: a longer time
/// costs no less.
double affordable(const AnalysisOptions& how, double x) {
  const auto cost = [&](double seconds) {
    const double core_hours = seconds * x * how.cores_per_rank / dsl::kHour,
                 gpu_hours = seconds * x * how.gpus_per_rank / dsl::kHour;
    return how.price ? how.price({x, seconds, core_hours, gpu_hours}) : core_hours;
  };
  constexpr int kSteps = 60;
  double low = std::log(1e-9), high = std::log(1e12);
  for (int i = 0; i < kSteps; ++i) {
    const double middle = (low + high) / 2;
    (cost(std::exp(middle)) <= *how.budget ? low : high) = middle;
  }
  return std::exp(low);
}

std::vector<svg::CurveLimit> limits(const std::vector<Analysed>& shown, const View& view, const AnalysisOptions& how) {
  std::vector<svg::CurveLimit> out;
  if (how.time_limit)
    out.push_back({"time limit " + figure(Data(*how.time_limit), Unit::seconds),
                   {{view.from, *how.time_limit}, {view.to, *how.time_limit}}});
  const bool by_time = std::ranges::any_of(shown, [](const Analysed& a) { return !a.cost_given; });
  if (how.budget && by_time) {
    svg::CurveLimit budget{.label = "budget " + four_digits(*how.budget), .line = {}};
    for (const double x : view.grid(view.from, view.to)) budget.line.push_back({x, affordable(how, x)});
    out.push_back(std::move(budget));
  }
  return out;
}

/// Measured values, or those of models without measurements.
bool log_y(const std::vector<svg::Curve>& curves) {
  double low = INFINITY, high = 0;
  const auto add = [&](double y) { low = std::min(low, y), high = std::max(high, y); };
  for (const svg::Curve& c : curves) {
    for (const svg::CurvePoint& p : c.points) add(p.y);
    for (const svg::CurvePoint& p : c.hollow) add(p.y);
    if (!c.points.empty()) continue;
    for (const auto& run : c.runs)
      for (const svg::CurveSample& s : run) add(s.y);
  }
  return low > 0 && high >= kLogYFrom * low;
}

std::string limits_text(const AnalysisOptions& how) {
  std::vector<std::string> parts;
  if (how.time_limit) parts.push_back("time at most " + figure(Data(*how.time_limit), Unit::seconds));
  if (how.budget) parts.push_back("cost at most " + four_digits(*how.budget));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string subtitle(const Models& models, const std::vector<Analysed>& analysed, const std::vector<Analysed>& shown,
                     const AnalysisOptions& how) {
  std::vector<std::string> sentences;
  const Model& first = models.models[shown[0].model];
  const std::vector<double> at = corner(first, models.parameters.size());
  std::vector<std::string> others;
  for (size_t p = 1; p < at.size(); ++p) others.push_back(models.parameters[p] + " = " + four_digits(at[p]));
  if (!others.empty())
    sentences.push_back(
        fmt::format("{}{}.", fmt::join(others, ", "), first.points.empty() ? "" : ", the largest that were measured"));
  if (analysed.size() > shown.size())
    sentences.push_back(
        fmt::format("The first {} of {} models; --callpath and --metric pick others.", shown.size(), analysed.size()));
  const bool none = std::ranges::none_of(shown, [](const Analysed& a) { return a.analysis.choice.best.has_value(); });
  if (limited(how) && none) sentences.push_back(fmt::format("No {} has {}.", models.parameters[0], limits_text(how)));
  return fmt::format("{}", fmt::join(sentences, " "));
}

std::string why_nothing(const Models& models) {
  if (models.models.empty()) return "no series has points enough for a model";
  return "no model of a time with points: --metric names another, --at values of " + models.parameters[0];
}

}  // namespace

svg::Curves scale_picture(const std::string& title, const Scaled& scaled, const AnalysisOptions& how) {
  const Models& models = scaled.models;
  const std::vector<Analysed>& analysed = scaled.analysed;
  svg::Curves chart{.title = title + ": scaling models", .subtitle = {}, .x = {}, .y = {}, .curves = {}};
  const std::vector<Analysed> shown(
      analysed.begin(), analysed.begin() + static_cast<std::ptrdiff_t>(std::min(kMostCurves, analysed.size())));
  if (shown.empty()) {
    chart.nothing = why_nothing(models);
    return chart;
  }
  const Model& first = models.models[shown[0].model];
  const bool mixed =
      std::ranges::any_of(shown, [&](const Analysed& a) { return models.models[a.model].metric != first.metric; });
  const View view = view_of(models, shown, how);
  for (const Analysed& a : shown) chart.curves.push_back(curve_of(models, a, view, how, mixed));
  if (!scaled.against.empty()) chart.curves.push_back(analytical(scaled.against, chart.curves[0].known));
  chart.subtitle = subtitle(models, analysed, shown, how);
  chart.x = {models.parameters[0], view.log};
  chart.y = {in_seconds(first) ? "time, s" : first.metric, log_y(chart.curves)};
  chart.limits = limits(shown, view, how);
  chart.key = {
      .band = "95 % prediction interval", .shaded = "valid: " + limits_text(how), .ringed = "most cost-effective"};
  return chart;
}

}  // namespace cli
