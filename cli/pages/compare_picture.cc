#include "cli/pages/compare_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/pages/plan_text.h"
#include "cli/report/figure.h"

namespace cli {
namespace {

using planner::Difference;

/// "-1.234 s, 8 to 4"; of several fields that moved together the seconds alone.
std::string note_of(const Difference& d) {
  const std::string seconds = (d.seconds > 0 ? "+" : "") + figure(Data(d.seconds), Unit::seconds);
  const bool one_field = d.cause.find(" + ") == std::string::npos && !d.a.empty() && !d.b.empty();
  return one_field ? fmt::format("{}, {} to {}", seconds, d.a, d.b) : seconds;
}

svg::Bar whole(const char* name, double seconds) {
  return {.label = name, .parts = {seconds, 0, 0}, .note = figure(Data(seconds), Unit::seconds)};
}

std::vector<Difference> in_order(const std::vector<Difference>& differences) {
  std::vector<Difference> moved;
  for (const Difference& d : differences)
    if (d.seconds != 0) moved.push_back(d);
  std::ranges::stable_sort(moved, {},
                           [](const Difference& d) { return std::pair(d.seconds < 0, -std::abs(d.seconds)); });
  return moved;
}

}  // namespace

svg::StackedBars compare_waterfall(const ComparedPlan& a, const ComparedPlan& b,
                                   const std::vector<Difference>& differences) {
  svg::StackedBars chart{
      .title = "What each difference is worth",
      .subtitle = fmt::format("A: {}; B: {}", scenario_title(a.loaded.scenario), scenario_title(b.loaded.scenario)),
      .axis = "seconds per step",
      .percent = false,
      .series = {"the step", "slower", "faster"},
      .bars = {},
      .nothing = "a layout that does not work has no step"};
  if (!a.plan.step || !b.plan.step) return chart;
  double now = a.plan.step->seconds;
  chart.bars.push_back(whole("A", now));
  for (const Difference& d : in_order(differences)) {
    const double from = std::min(now, now + d.seconds);
    chart.bars.push_back({.label = d.cause,
                          .parts = {0, std::max(0.0, d.seconds), std::max(0.0, -d.seconds)},
                          .note = note_of(d),
                          .from = std::max(0.0, from)});
    now += d.seconds;
  }
  chart.bars.push_back(whole("B", b.plan.step->seconds));
  return chart;
}

}  // namespace cli
