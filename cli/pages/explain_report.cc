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

#include <array>

namespace cli {
namespace {

using planner::Breakdown;
using planner::Crossover;
using planner::Difference;

std::optional<double> usd_between(const PlannedRow& a, const PlannedRow& b) {
  if (!a.plan.cost->usd || !b.plan.cost->usd) return std::nullopt;
  return *b.plan.cost->usd - *a.plan.cost->usd;
}

double seconds_between(const PlannedRow& a, const PlannedRow& b) { return b.plan.step->seconds - a.plan.step->seconds; }

// ---- JSON

Data data(const PlannedRow& a, const PlannedRow& b, const std::vector<Difference>& differences,
          const std::vector<Crossover>& crossovers) {
  Data::Object parts;
  for (const planner::BreakdownPart& part : planner::kBreakdownParts)
    parts.push_back({part.name, b.plan.breakdown.value().*part.seconds - a.plan.breakdown.value().*part.seconds});
  Data::List causes, rows;
  for (const Difference& d : differences)
    causes.push_back(Data::Object{{"cause", d.cause}, {"a", d.a}, {"b", d.b}, {"seconds", d.seconds}, {"usd", d.usd}});
  for (const Crossover& t : crossovers)
    rows.push_back(Data::Object{{"field", t.field}, {"below", t.below}, {"above", t.above}});
  return Data::Object{{"rank", static_cast<int64_t>(a.rank)},
                      {"against", static_cast<int64_t>(b.rank)},
                      {"seconds", seconds_between(a, b)},
                      {"usd", usd_between(a, b)},
                      {"parts", std::move(parts)},
                      {"differences", std::move(causes)},
                      {"turns", std::move(rows)}};
}

// ---- the page

const std::string& name(const PlannedRow& row) { return row.name; }

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string explained_summary(const PlannedRow& a, const PlannedRow& b) {
  std::string line = fmt::format("{} less {}: {} per step ({})", b.rank > 0 ? capital(name(b)) : name(b), name(a),
                                 figure(Data(seconds_between(a, b)), Unit::seconds),
                                 figure(Data(seconds_between(a, b) / a.plan.step->seconds), Unit::fraction));
  if (const auto usd = usd_between(a, b)) line += ", " + figure(Data(*usd), Unit::usd) + " for the run";
  return line;
}

Table parts_table(const PlannedRow& a, const PlannedRow& b) {
  Table table{.title = "Where the step goes",
              .columns = {{.name = "part"},
                          {.name = "a", .unit = Unit::seconds, .heading = name(a)},
                          {.name = "b", .unit = Unit::seconds, .heading = name(b)},
                          {.name = "difference", .unit = Unit::seconds}}};
  const auto add = [&](const char* heading, double x, double y) { table.rows.push_back({heading, x, y, y - x}); };
  for (const planner::BreakdownPart& part : planner::kBreakdownParts)
    add(part.heading, a.plan.breakdown.value().*part.seconds, b.plan.breakdown.value().*part.seconds);
  add("step", a.plan.step->seconds, b.plan.step->seconds);
  return table;
}

Table causes_table(const PlannedRow& a, const PlannedRow& b, const std::vector<Difference>& differences) {
  Table table{.title = "What each difference is worth",
              .columns = {{.name = "difference"},
                          {.name = "a", .rank = 1, .heading = name(a)},
                          {.name = "b", .rank = 1, .heading = name(b)},
                          {.name = "step", .unit = Unit::seconds},
                          {.name = "cost", .unit = Unit::usd}}};
  for (const Difference& d : differences) table.rows.push_back({d.cause, d.a, d.b, d.seconds, d.usd});
  table.rows.push_back({"together", "", "", seconds_between(a, b), usd_between(a, b)});
  return table;
}

/// "0.62 x"; "-" where the order does not turn.
Data times(const std::optional<double>& factor) { return factor ? Data(fmt::format("{:.3g} x", *factor)) : Data(); }

Block crossovers_block(const PlannedRow& a, const PlannedRow& b, const std::vector<Crossover>& crossovers) {
  Table table{.title = fmt::format("What would turn their order, within {} x and {:g} x", 1 / planner::kMostFactor,
                                   planner::kMostFactor),
              .columns = {{.name = "field"}, {.name = "below"}, {.name = "above"}}};
  for (const Crossover& t : crossovers)
    if (t.below || t.above) table.rows.push_back({t.field, times(t.below), times(t.above)});
  if (!table.rows.empty()) return table;
  return fmt::format(
      "no peak, bandwidth, latency, memory or price within {:g} x and {:g} x turns the order of {} and {}",
      1 / planner::kMostFactor, planner::kMostFactor, name(a), name(b));
}

}  // namespace

void add_explanation(const std::optional<Explained>& explained, Report& report) {
  if (!explained) {
    report.document.push_back({"explain", Data()});
    return;
  }
  const auto& [a, b, differences, crossovers] = *explained;
  report.document.push_back({"explain", data(a, b, differences, crossovers)});
  report.text.emplace_back(explained_summary(a, b));
  report.text.emplace_back(parts_table(a, b));
  report.text.emplace_back(causes_table(a, b, differences));
  report.text.emplace_back(crossovers_block(a, b, crossovers));
}

}  // namespace cli
