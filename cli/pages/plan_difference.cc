#include "cli/pages/plan_difference.h"

#include <fmt/format.h>

namespace cli {

double seconds_between(const ComparedPlan& a, const ComparedPlan& b) {
  return b.plan.step->seconds - a.plan.step->seconds;
}

std::optional<double> usd_between(const ComparedPlan& a, const ComparedPlan& b) {
  if (!a.plan.cost->usd || !b.plan.cost->usd) return std::nullopt;
  return *b.plan.cost->usd - *a.plan.cost->usd;
}

std::string difference_text(const ComparedPlan& a, const ComparedPlan& b, double share) {
  std::string line = fmt::format("{} per step ({})", figure(Data(seconds_between(a, b)), Unit::seconds),
                                 figure(Data(share), Unit::fraction));
  if (const auto usd = usd_between(a, b)) line += ", " + figure(Data(*usd), Unit::usd) + " for the run";
  return line;
}

Table parts_table(const ComparedPlan& a, const ComparedPlan& b, double step_of_a, double step_of_b) {
  Table table{.title = "Where the step goes",
              .columns = {{.name = "part"},
                          {.name = "a", .unit = Unit::seconds, .heading = a.name},
                          {.name = "b", .unit = Unit::seconds, .heading = b.name},
                          {.name = "difference", .unit = Unit::seconds}}};
  const auto add = [&](const char* heading, double x, double y) { table.rows.push_back({heading, x, y, y - x}); };
  for (const planner::BreakdownPart& part : planner::kBreakdownParts)
    add(part.heading, a.plan.breakdown.value().*part.seconds, b.plan.breakdown.value().*part.seconds);
  add("step", step_of_a, step_of_b);
  return table;
}

Table worths_table(const ComparedPlan& a, const ComparedPlan& b, const std::vector<planner::Difference>& differences) {
  Table table{.title = "What each difference is worth",
              .columns = {{.name = "difference"},
                          {.name = "a", .rank = 1, .heading = a.name},
                          {.name = "b", .rank = 1, .heading = b.name},
                          {.name = "step", .unit = Unit::seconds},
                          {.name = "cost", .unit = Unit::usd}}};
  for (const planner::Difference& d : differences) table.rows.push_back({d.cause, d.a, d.b, d.seconds, d.usd});
  table.rows.push_back({"together", "", "", seconds_between(a, b), usd_between(a, b)});
  return table;
}

}  // namespace cli
