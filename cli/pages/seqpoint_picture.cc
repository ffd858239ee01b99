#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/study_pages.h"
#include "cli/report/figure.h"
#include "planner/studies/seqpoints/project.h"

namespace cli {
namespace {

using namespace planner::seqpoint;

constexpr int64_t kMostBars = 60;  // of a histogram

std::string title_of(const Projection& s, const std::string& what) {
  return fmt::format("{}{}", s.title.empty() ? "" : s.title + ": ", what);
}

std::string subtitle_of(const Projection& s) {
  return fmt::format("{} iterations of {} lengths, {} SeqPoints", s.epoch.iterations(), s.epoch.lengths.size(),
                     s.selection.sample.points.size());
}

/// What the marks mean: all lengths are there, none is between or beyond.
svg::CurveKey key() { return {.points = "SeqPoint", .known = "all lengths of the run"}; }

/// Bars of a whole number of lengths each, so that none is wider than another.
struct Bars {
  explicit Bars(const Epoch& epoch) : first(epoch.lengths.front().length) {
    const int64_t last = epoch.lengths.back().length;
    width = (last - first) / kMostBars + 1;
    iterations.resize(static_cast<size_t>((last - first) / width) + 1);
    for (const LengthTime& l : epoch.lengths) iterations[at(l.length)] += l.iterations;
  }
  size_t at(int64_t length) const { return static_cast<size_t>((length - first) / width); }
  double from(size_t bar) const { return static_cast<double>(first + static_cast<int64_t>(bar) * width) - 0.5; }

  int64_t first, width = 1;
  std::vector<int64_t> iterations;
};

/// The outline of the bars, from the ground to the ground.
std::vector<svg::CurveSample> outline(const Bars& bars) {
  std::vector<svg::CurveSample> out{{bars.from(0), 0}};
  for (size_t i = 0; i < bars.iterations.size(); ++i) {
    const auto height = static_cast<double>(bars.iterations[i]);
    out.push_back({bars.from(i), height});
    out.push_back({bars.from(i + 1), height});
  }
  out.push_back({bars.from(bars.iterations.size()), 0});
  return out;
}

svg::Curves histogram(const Projection& s) {
  const Bars bars(s.epoch);
  svg::Curve curve{
      .label = {"iterations"}, .runs = {outline(bars)}, .known = {bars.from(0), bars.from(bars.iterations.size())}};
  for (const Point& p : s.selection.sample.points) {
    const int64_t length = s.epoch.lengths[p.at].length;
    curve.points.push_back({static_cast<double>(length), static_cast<double>(bars.iterations[bars.at(length)]),
                            fmt::format("length {}: stands for {} iterations", length, p.weight)});
  }
  return {.title = title_of(s, "how often each length occurs"),
          .subtitle = subtitle_of(s),
          .x = {.title = "sequence length"},
          .y = {.title = bars.width == 1 ? "iterations" : fmt::format("iterations of {} lengths each", bars.width)},
          .curves = {std::move(curve)},
          .key = key()};
}

/// One value for each length, the SeqPoints marked.
svg::Curve curve_of(const Projection& s, const std::string& name, const std::vector<double>& values, Unit unit) {
  svg::Curve curve{.label = {name}, .runs = {{}}};
  for (size_t i = 0; i < values.size(); ++i)
    curve.runs.front().push_back({static_cast<double>(s.epoch.lengths[i].length), values[i]});
  curve.known = {curve.runs.front().front().x, curve.runs.front().back().x};
  for (const Point& p : s.selection.sample.points)
    curve.points.push_back({static_cast<double>(s.epoch.lengths[p.at].length), values[p.at],
                            fmt::format("length {}: {}, stands for {} iterations", s.epoch.lengths[p.at].length,
                                        figure(Data(values[p.at]), unit), p.weight)});
  return curve;
}

svg::Curves against_length(const Projection& s, const std::string& what, const std::string& y,
                           std::vector<svg::Curve> curves) {
  return {.title = title_of(s, what + " against length"),
          .subtitle = subtitle_of(s),
          .x = {.title = "sequence length"},
          .y = {.title = y},
          .curves = std::move(curves),
          .key = key()};
}

}  // namespace

svg::Picture seqpoint_picture(const Projection& s, const std::string& of) {
  if (of == kHistogram) return histogram(s);
  for (const StatisticProjection& statistic : s.statistics)
    if (statistic.name == of)
      return against_length(s, of, of + " of an iteration", {curve_of(s, of, statistic.by_length, Unit::number)});
  const bool judged = s.truth.has_value();
  std::vector<svg::Curve> curves{
      curve_of(s, judged ? "what the choice sees" : "an iteration", s.epoch.times(), Unit::seconds)};
  if (judged) curves.push_back(curve_of(s, "the truth", s.truth_times, Unit::seconds));
  return against_length(s, "time", "time of an iteration, s", std::move(curves));
}

}  // namespace cli
