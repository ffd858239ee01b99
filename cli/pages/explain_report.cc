// The page of --explain:
//
//     Plan 2 against plan 1: 123.4 ms per step (1.2 %), 3.2 kUSD for the run
//
//     Where the step goes
//     part      plan 1    plan 2    difference
//     What each difference is worth
//     What would turn the order ...
#include "cli/pages/explain_report.h"

#include <fmt/format.h>

#include "cli/pages/plan_difference.h"
#include "cli/report/row_fields.h"

namespace cli {
namespace {

using planner::Crossover;
using planner::Difference;

// ---- JSON

Data data(const Explained& explained, const ComparedPlan& a, const ComparedPlan& b) {
  Data::Object parts;
  for (const planner::BreakdownPart& part : planner::kBreakdownParts)
    parts.push_back({part.name, b.plan.breakdown.value().*part.seconds - a.plan.breakdown.value().*part.seconds});
  const RowFields<Difference> causes{{"cause", &Difference::cause},
                                     {"a", &Difference::a},
                                     {"b", &Difference::b},
                                     {"seconds", &Difference::seconds},
                                     {"usd", &Difference::usd}};
  const RowFields<Crossover> turns{
      {"field", &Crossover::field}, {"below", &Crossover::below}, {"above", &Crossover::above}};
  return Data::Object{{"rank", static_cast<int64_t>(explained.a.rank)},
                      {"against", static_cast<int64_t>(explained.b.rank)},
                      {"seconds", seconds_between(a, b)},
                      {"usd", usd_between(a, b)},
                      {"parts", std::move(parts)},
                      {"differences", causes.list(explained.differences)},
                      {"turns", turns.list(explained.crossovers)}};
}

// ---- the page

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// "0.62 x"; "-" where the order does not turn.
Data times(const std::optional<double>& factor) { return factor ? Data(fmt::format("{:.3g} x", *factor)) : Data(); }

Block crossovers_block(const std::string& a, const std::string& b, const std::vector<Crossover>& crossovers) {
  Table table{.title = fmt::format("What would turn their order, within {} x and {:g} x", 1 / planner::kMostFactor,
                                   planner::kMostFactor),
              .columns = {{.name = "field"}, {.name = "below"}, {.name = "above"}}};
  for (const Crossover& t : crossovers)
    if (t.below || t.above) table.rows.push_back({t.field, times(t.below), times(t.above)});
  if (!table.rows.empty()) return table;
  return fmt::format(
      "no peak, bandwidth, latency, memory or price within {:g} x and {:g} x turns the order of {} and {}",
      1 / planner::kMostFactor, planner::kMostFactor, a, b);
}

}  // namespace

void add_explanation(const std::optional<Explained>& explained, Report& report) {
  if (!explained) {
    report.document.push_back({"explain", Data()});
    return;
  }
  const auto& [of_a, of_b, differences, crossovers] = *explained;
  const ComparedPlan a{of_a.name, of_a.loaded, of_a.plan}, b{of_b.name, of_b.loaded, of_b.plan};
  const double step = a.plan.step->seconds;
  report.document.push_back({"explain", data(*explained, a, b)});
  report.text.emplace_back(fmt::format("{} less {}: {}", of_b.rank > 0 ? capital(b.name) : b.name, a.name,
                                       difference_text(a, b, seconds_between(a, b) / step)));
  report.text.emplace_back(parts_table(a, b, step, b.plan.step->seconds));
  report.text.emplace_back(worths_table(a, b, differences));
  report.text.emplace_back(crossovers_block(a.name, b.name, crossovers));
}

}  // namespace cli
