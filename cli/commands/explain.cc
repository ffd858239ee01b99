// The page of --explain:
//
//     Plan 2 against plan 1: 123.4 ms per step (1.2 %), 3.2 kUSD for the run
//
//     Where the step goes
//     part      plan 1    plan 2    difference
//     What each difference is worth
//     What would turn the order ...
#include "cli/commands/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "cli/commands/reread.h"
#include "planner/plan/plan.h"
#include "planner/studies/whatif/compare.h"
#include "planner/studies/whatif/crossover.h"

namespace cli {
namespace {

using planner::Breakdown;
using planner::Crossover;
using planner::Difference;

/// A row of the search, planned by itself.
struct Row {
  size_t rank = 0;
  planner::LoadedScenario loaded;
  planner::Plan plan;
};

Row row_of(const planner::SearchResult& result, size_t rank, const planner::OpenScenario& open, const Options& options,
           Session& session) {
  auto loaded = reread(options, session)(choice_sets(open, result.plans[rank - 1].choices));
  assert(loaded && "a candidate that was costed is a scenario");
  planner::Plan plan = planner::make_unchecked_plan(loaded->scenario);
  return {rank, *std::move(loaded), std::move(plan)};
}

std::optional<double> usd_between(const Row& a, const Row& b) {
  if (!a.plan.cost->usd || !b.plan.cost->usd) return std::nullopt;
  return *b.plan.cost->usd - *a.plan.cost->usd;
}

double seconds_between(const Row& a, const Row& b) { return b.plan.step->seconds - a.plan.step->seconds; }

// ---- JSON

Data data(const Row& a, const Row& b, const std::vector<Difference>& differences, const std::vector<Crossover>& rows) {
  Data::Object parts;
  for (const planner::BreakdownPart& part : planner::kBreakdownParts)
    parts.push_back({part.name, b.plan.breakdown.value().*part.seconds - a.plan.breakdown.value().*part.seconds});
  Data::List causes, crossovers;
  for (const Difference& d : differences)
    causes.push_back(Data::Object{{"cause", d.cause}, {"a", d.a}, {"b", d.b}, {"seconds", d.seconds}, {"usd", d.usd}});
  for (const Crossover& c : rows)
    crossovers.push_back(Data::Object{{"field", c.field}, {"below", c.below}, {"above", c.above}});
  return Data::Object{{"rank", static_cast<int64_t>(a.rank)},
                      {"against", static_cast<int64_t>(b.rank)},
                      {"seconds", seconds_between(a, b)},
                      {"usd", usd_between(a, b)},
                      {"parts", std::move(parts)},
                      {"differences", std::move(causes)},
                      {"turns", std::move(crossovers)}};
}

// ---- the page

std::string name(const Row& row) { return fmt::format("plan {}", row.rank); }

std::string summary(const Row& a, const Row& b) {
  std::string line = fmt::format("Plan {} less plan {}: {} per step ({})", b.rank, a.rank,
                                 figure(Data(seconds_between(a, b)), Unit::seconds),
                                 figure(Data(seconds_between(a, b) / a.plan.step->seconds), Unit::fraction));
  if (const auto usd = usd_between(a, b)) line += ", " + figure(Data(*usd), Unit::usd) + " for the run";
  return line;
}

Table parts_table(const Row& a, const Row& b) {
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

Table causes_table(const Row& a, const Row& b, const std::vector<Difference>& differences) {
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

Block crossovers_block(const Row& a, const Row& b, const std::vector<Crossover>& rows) {
  Table table{.title = fmt::format("What would turn their order, within {} x and {:g} x", 1 / planner::kMostFactor,
                                   planner::kMostFactor),
              .columns = {{.name = "field"}, {.name = "below"}, {.name = "above"}}};
  for (const Crossover& c : rows)
    if (c.below || c.above) table.rows.push_back({c.field, times(c.below), times(c.above)});
  if (!table.rows.empty()) return table;
  return fmt::format(
      "no peak, bandwidth, latency, memory or price within {:g} x and {:g} x turns the order of {} and {}",
      1 / planner::kMostFactor, planner::kMostFactor, name(a), name(b));
}

}  // namespace

void add_explanation(const planner::SearchResult& result, const planner::OpenScenario& open, const Options& options,
                     Session& session, Streams& streams, Report& report) {
  const auto rank = static_cast<size_t>(*options.explain);
  const size_t rows = result.plans.size(), against = rank < rows ? rank + 1 : 1;
  if (rank > rows || rows < 2) {
    if (!options.quiet)
      streams.err << fmt::format("warning: --explain {}: {} plans are feasible\n", rank, result.feasible);
    report.document.push_back({"explain", Data()});
    return;
  }
  const Row a = row_of(result, rank, open, options, session), b = row_of(result, against, open, options, session);
  const std::vector<Difference> differences = planner::compare(a.loaded, b.loaded);
  const std::vector<Crossover> crossovers = planner::crossovers(a.loaded, b.loaded);
  report.document.push_back({"explain", data(a, b, differences, crossovers)});
  report.text.emplace_back(summary(a, b));
  report.text.emplace_back(parts_table(a, b));
  report.text.emplace_back(causes_table(a, b, differences));
  report.text.emplace_back(crossovers_block(a, b, crossovers));
}

}  // namespace cli
