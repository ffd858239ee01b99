#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/pages/plan_report.h"
#include "cli/pages/run_figures.h"
#include "cli/pages/study_pages.h"
#include "cli/report/figure.h"
#include "planner/plan/comm.h"
#include "planner/studies/roadmap/roadmap.h"

namespace cli {
namespace {

using planner::CommFractions;
using planner::RoadmapCell;

// Bars add up to the step: communication that is hidden takes its place from the compute that hides it.
std::vector<double> step_parts(const planner::CommAnalysis& a) {
  const planner::Breakdown& b = a.breakdown;
  double hidden = 0;
  for (const planner::PurposeRow& row : a.purposes) hidden += row.hidden_seconds;
  const double compute = b.forward + b.backward + b.recompute + b.optimizer;
  hidden = std::min(hidden, compute);
  std::vector<double> parts{compute - hidden, hidden, b.serialized_comm, b.exposed_comm, b.bubble + b.overhead};
  for (double& part : parts) part = std::max(0.0, part / a.step_seconds);
  return parts;
}

std::string class_label(const planner::PurposeRow& row) {
  return row.tier.empty() ? planner::name(row.purpose) : fmt::format("{}, {}", planner::name(row.purpose), row.tier);
}

size_t place_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

/// A figure of a cell that a panel shows, and where its colour is darkest.
struct GridFigure {
  const char* title;
  std::optional<double> (*value)(const RoadmapCell&);
  double high;
};
template <double CommFractions::*member> std::optional<double> fraction(const RoadmapCell& c) {
  return c.fractions ? std::optional((*c.fractions).*member) : std::nullopt;
}
constexpr std::array kGridFigures{
    GridFigure{"serialized communication over compute and itself", fraction<&CommFractions::serialized_fraction>, 1},
    GridFigure{"communication that may hide, over the compute that may hide it",
               [](const RoadmapCell& c) {
                 return c.fractions ? c.fractions->overlapped_over_hiding_compute : std::optional<double>();
               },
               2},
    GridFigure{"exposed communication, share of the step", fraction<&CommFractions::exposed_fraction>, 1},
    GridFigure{"memory demand over capacity", [](const RoadmapCell& c) { return c.memory_demand_over_capacity; }, 2},
};

std::string place(const RoadmapCell& c) { return c.step + (c.model.empty() ? "" : ", ") + c.model; }

svg::Cell cell_of(const RoadmapCell& c, const GridFigure& shown) {
  const std::optional<double> value = shown.value(c);
  if (!value) return {.value = {}, .tip = c.reason};
  const std::string text = figure(*value, Unit::fraction);
  return {.value = value, .text = text, .note = "", .tip = place(c) + ": " + text};
}

/// The run's days, and below them its cost; without tokens the time of a step.
svg::Cell run_cell(const RoadmapCell& c) {
  if (!c.results) return {.value = {}, .tip = c.reason};
  const planner::Results& r = *c.results;
  const std::string text = r.days ? figure(*r.days, Unit::days) : figure(r.step.seconds, Unit::seconds);
  return {.value = r.days.value_or(r.step.seconds),
          .text = text,
          .note = r.usd ? figure(*r.usd, Unit::usd) : "",
          .tip = place(c) + ": " + run_text(r)};
}

/// Its colours begin at zero.
svg::Panel run_panel(const std::vector<RoadmapCell>& cells) {
  bool days = false, usd = false;
  double most = 0;
  for (const RoadmapCell& c : cells) {
    most = std::max(most, run_cell(c).value.value_or(0));
    if (c.results) days |= c.results->days.has_value(), usd |= c.results->usd.has_value();
  }
  const char* title = !days ? "time of a step" : usd ? "days of the run, and its cost" : "days of the run";
  return {.title = title, .cells = {}, .high = most > 0 ? most : 1};
}

}  // namespace

svg::StackedBars comm_bars(const planner::Scenario& s, const planner::CommAnalysis& a) {
  svg::StackedBars chart{
      .title = scenario_title(s) + ": compute against communication",
      .subtitle = planner::main_degrees_text(s.parallelism) + "; of the GPU that finishes last",
      .axis = "share of the step",
      .series = {"compute", "compute beside hidden communication", "serialized communication", "exposed communication",
                 "bubble and overhead"},
      .bars = {{.label = "the step", .parts = step_parts(a), .note = figure(a.step_seconds, Unit::seconds)}},
      .nothing = ""};
  for (const planner::PurposeRow& row : a.purposes)
    chart.bars.push_back({.label = class_label(row),
                          .parts = {0, row.hidden_seconds / a.step_seconds, row.serialized_seconds / a.step_seconds,
                                    row.exposed_seconds / a.step_seconds, 0},
                          .note = figure(row.seconds, Unit::seconds),
                          .heading = &row == &a.purposes.front() ? "communication by parallelism and tier" : ""});
  return chart;
}

svg::Grid roadmap_grid(const std::string& title, const std::vector<RoadmapCell>& cells) {
  svg::Grid chart{.title = title,
                  .subtitle = "An empty cell: no layout works.",
                  .x_title = "step of the roadmap",
                  .y_title = "model"};
  for (const RoadmapCell& c : cells) {
    place_of(chart.columns, c.step);
    place_of(chart.rows, c.model);
  }
  const auto add = [&](svg::Panel panel, const auto& cell_of_row) {
    panel.cells.assign(chart.rows.size(), std::vector<svg::Cell>(chart.columns.size()));
    bool any = false;
    for (const RoadmapCell& c : cells) {
      svg::Cell& cell = panel.cells[place_of(chart.rows, c.model)][place_of(chart.columns, c.step)];
      cell = cell_of_row(c);
      any |= cell.value.has_value();
    }
    if (any) chart.panels.push_back(std::move(panel));
  };
  add(run_panel(cells), run_cell);
  for (const GridFigure& shown : kGridFigures)
    add({.title = shown.title, .cells = {}, .high = shown.high},
        [&](const RoadmapCell& c) { return cell_of(c, shown); });
  for (std::string& row : chart.rows)
    if (row.empty()) row = "the scenario's";
  if (chart.panels.empty()) chart.nothing = "no layout works at any step";
  return chart;
}

}  // namespace cli
