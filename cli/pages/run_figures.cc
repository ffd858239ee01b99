#include "cli/pages/run_figures.h"

#include <fmt/format.h>

#include "cli/report/figure.h"
#include "dsl/unit_sizes.h"

namespace cli {
namespace {

using planner::Results;

/// "38.13 d to 47.63 d": a figure that is in proportion to the step.
std::string interval(const Results& r, double figure_of_step, Unit unit) {
  const auto at = [&](double seconds) { return figure(figure_of_step * seconds / r.step.seconds, unit); };
  return at(r.step.low_seconds) + " to " + at(r.step.high_seconds);
}

}  // namespace

std::string run_text(const Results& r) {
  if (!r.days) return figure(r.step.seconds, Unit::seconds) + " per step";
  const std::string days = figure(*r.days, Unit::days);
  return r.usd ? days + ", " + figure(*r.usd, Unit::usd) : days;
}

std::vector<KeyFigure> run_key_figures(const Results& r) {
  std::vector<KeyFigure> figures;
  if (r.days) figures.push_back({"run", figure(*r.days, Unit::days), interval(r, *r.days, Unit::days)});
  if (r.usd) figures.push_back({"cost", figure(*r.usd, Unit::usd), interval(r, *r.usd, Unit::usd)});
  if (figures.size() < 2)
    figures.push_back({"step", figure(r.step.seconds, Unit::seconds), interval(r, r.step.seconds, Unit::seconds)});
  figures.push_back({"memory of the fullest GPU", figure(r.peak_bytes, Unit::memory),
                     figure(r.headroom_bytes, Unit::memory) + " left"});
  return figures;
}

std::optional<svg::FrontSpan> days_span(const Results& r) {
  if (!r.days) return std::nullopt;
  const double days = *r.days / r.step.seconds;
  return svg::FrontSpan{days * r.step.low_seconds, days * r.step.high_seconds};
}

void add_limit(const planner::ResultRow& row, const planner::Goal& goal, svg::FrontAxis& axis) {
  const std::string_view name = row.name;
  if (name == "days" && goal.deadline) {
    const double days = goal.deadline->value / dsl::kDay;
    axis.limit = {days, "deadline " + figure(days, Unit::days)};
  }
  if (name == "usd" && goal.budget)
    axis.limit = {goal.budget->value, "budget " + figure(goal.budget->value, Unit::usd)};
}

}  // namespace cli
