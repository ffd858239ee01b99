// The page of a comparison:
//
//     A: gpt3-175b on 512 x a100-sxm-80gb: 12.34 s per step, MFU 52.3 %
//        the run takes 42.60 d and costs 953.2 kUSD
//     B: ...
//     B less A: 1.234 s per step (10.0 %), 123.4 kUSD
//
//     What each difference is worth
//     difference          A     B     step       cost
//     parallelism.tp ...  8, 8  4, 16 -1.234 s   ...
//
//     Where the step goes
//     part      A         B         difference
//
// The page of --explain:
//
//     Plan 2 against plan 1: 123.4 ms per step (1.2 %), 3.2 kUSD for the run
//
//     Where the step goes
//     part      plan 1    plan 2    difference
//     What each difference is worth
//     What would turn the order ...
#include "cli/pages/compare_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "cli/pages/plan_report.h"
#include "cli/report/row_fields.h"
#include "planner/plan/goals.h"

namespace cli {
namespace {

using planner::Crossover;
using planner::Difference;

/// B less A; null where either has no such dollars. REQUIRES: both have a step.
double seconds_between(const ComparedPlan& a, const ComparedPlan& b) {
  return b.plan.step->seconds - a.plan.step->seconds;
}

double tokens_of(const ComparedPlan& side) {
  const planner::Job& job = side.loaded.scenario.job;
  return static_cast<double>(job.global_batch) * static_cast<double>(job.sequence);
}

std::optional<double> usd_between(const ComparedPlan& a, const ComparedPlan& b) {
  if (!a.plan.cost->usd || !b.plan.cost->usd) return std::nullopt;
  return *b.plan.cost->usd - *a.plan.cost->usd;
}

/// "123.4 ms per step (1.2 %), 3.2 kUSD for the run". `share`: of the step of A.
std::string difference_text(const ComparedPlan& a, const ComparedPlan& b, double share) {
  std::string line =
      fmt::format("{} per step ({})", figure(seconds_between(a, b), Unit::seconds), figure(share, Unit::fraction));
  if (const auto usd = usd_between(a, b)) line += ", " + figure(*usd, Unit::usd) + " for the run";
  return line;
}

/// The parts of both steps, and their ends in seconds.
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

/// `a`, `b`: the names above their values.
RowFields<Difference> difference_fields(const std::string& a, const std::string& b) {
  return {{"cause", &Difference::cause, Unit::text, "", 0, "difference"},
          {"a", &Difference::a, Unit::text, a},
          {"b", &Difference::b, Unit::text, b},
          {"seconds", &Difference::seconds, Unit::seconds, "", 0, "step"},
          {"usd", &Difference::usd, Unit::usd, "", 0, "cost"}};
}

/// A row for each difference, and one for all together.
Table worths_table(const ComparedPlan& a, const ComparedPlan& b, const std::vector<Difference>& differences) {
  Table table = difference_fields(a.name, b.name).page("What each difference is worth", differences);
  table.rows.push_back({"together", "", "", seconds_between(a, b), usd_between(a, b)});
  return table;
}

// ---- JSON

Data plan_data(const ComparedPlan& side) {
  Report report = completed(plan_report(side.loaded, side.plan, {}, planner::stage_uses(side.loaded.scenario)));
  return joined({{"format", report.format}}, std::move(report.document));
}

/// A page has "0.62 x"; "-" where the order does not turn.
RowField<Crossover> factor_field(const char* name, std::optional<double> Crossover::*of) {
  const auto times = [](double factor) { return fmt::format("{:.3g} x", factor); };
  return RowField<Crossover>{name, of, Unit::text, ""}.shown_as(if_any(of, times));
}

RowFields<Crossover> crossover_fields() {
  return {{"field", &Crossover::field, Unit::text, ""},
          factor_field("below", &Crossover::below),
          factor_field("above", &Crossover::above)};
}

/// Of --explain.
Data explained_data(const Explained& explained, const ComparedPlan& a, const ComparedPlan& b) {
  Data::Object parts;
  for (const planner::BreakdownPart& part : planner::kBreakdownParts)
    parts.push_back({part.name, b.plan.breakdown.value().*part.seconds - a.plan.breakdown.value().*part.seconds});
  return Data::Object{{"rank", static_cast<int64_t>(explained.a.rank)},
                      {"against", static_cast<int64_t>(explained.b.rank)},
                      {"seconds", seconds_between(a, b)},
                      {"usd", usd_between(a, b)},
                      {"parts", std::move(parts)},
                      {"differences", difference_fields(a.name, b.name).list(explained.differences)},
                      {"turns", crossover_fields().list(explained.crossovers)}};
}

// ---- the pages

bool can_compare(const ComparedPlan& a, const ComparedPlan& b) {
  return planner::works(a.plan) && planner::works(b.plan);
}

/// "A: gpt3-175b on 512 x a100-sxm-80gb: ...", the run's days and dollars, and what does not work.
void add_headlines(std::vector<Block>& blocks, const ComparedPlan& side) {
  blocks.emplace_back(side.name + (": " + std::get<std::string>(plan_text(side.loaded, side.plan).front())));
  if (planner::works(side.plan) && side.plan.cost->days) {
    std::string run = "   the run takes " + figure(*side.plan.cost->days, Unit::days);
    if (side.plan.cost->usd) run += " and costs " + figure(*side.plan.cost->usd, Unit::usd);
    blocks.emplace_back(std::move(run));
  }
  for (const planner::Violation& v : side.plan.violations)
    blocks.emplace_back(fmt::format("   {}: {}", v.rule, v.message));
}

bool costs_something(const Difference& d) { return d.seconds != 0 || d.usd.value_or(0) != 0; }

/// "worth nothing: job.tokens, cluster.gpu.memory"; empty if there is no such difference.
std::string worth_nothing(std::vector<Difference> differences) {
  std::erase_if(differences, costs_something);
  const std::string causes = text_list(differences, &Difference::cause);
  return causes.empty() ? "" : "worth nothing: " + causes;
}

std::vector<Block> compare_page(const ComparedPlan& a, const ComparedPlan& b,
                                const std::vector<Difference>& differences) {
  std::vector<Block> blocks;
  add_headlines(blocks, a);
  add_headlines(blocks, b);
  if (!can_compare(a, b)) {
    blocks.emplace_back("a layout that does not work or does not fit is not compared");
    return blocks;
  }
  if (differences.empty()) {
    blocks.emplace_back("nothing differs that a plan depends on");
    return blocks;
  }
  const double share = b.plan.step->seconds / a.plan.step->seconds - 1;
  std::vector<Difference> worth;
  std::ranges::copy_if(differences, std::back_inserter(worth), costs_something);
  blocks.emplace_back("B less A: " + difference_text(a, b, share));
  if (tokens_of(a) != tokens_of(b))
    blocks.emplace_back(fmt::format("the batches differ: per token B takes {} of the time of A",
                                    figure((1 + share) * tokens_of(a) / tokens_of(b), Unit::fraction)));
  blocks.emplace_back(worths_table(a, b, worth));
  if (const std::string line = worth_nothing(differences); !line.empty()) blocks.emplace_back(line);
  blocks.emplace_back(parts_table(a, b, a.plan.breakdown->sum(), b.plan.breakdown->sum()));
  return blocks;
}

std::string compare_title(const ComparedPlan& a, const ComparedPlan& b) {
  if (!can_compare(a, b)) return "A and B are not compared: a layout does not work or does not fit";
  const std::string line = "B less A: " + difference_text(a, b, b.plan.step->seconds / a.plan.step->seconds - 1);
  return fmt::format("{}; A is {}, B is {}", line, scenario_title(a.loaded.scenario),
                     scenario_title(b.loaded.scenario));
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

Block crossovers_block(const std::string& a, const std::string& b, const std::vector<Crossover>& crossovers) {
  std::vector<Crossover> turns;
  std::ranges::copy_if(crossovers, std::back_inserter(turns), [](auto& t) { return t.below || t.above; });
  if (!turns.empty())
    return crossover_fields().page(fmt::format("What would turn their order, within {} x and {:g} x",
                                               1 / planner::kMostFactor, planner::kMostFactor),
                                   turns);
  return fmt::format(
      "no peak, bandwidth, latency, memory or price within {:g} x and {:g} x turns the order of {} and {}",
      1 / planner::kMostFactor, planner::kMostFactor, a, b);
}

// ---- the picture

/// "-1.234 s, 8 to 4"; of several fields that moved together the seconds alone.
std::string note_of(const Difference& d) {
  const std::string seconds = (d.seconds > 0 ? "+" : "") + figure(d.seconds, Unit::seconds);
  const bool one_field = d.cause.find(" + ") == std::string::npos && !d.a.empty() && !d.b.empty();
  return one_field ? fmt::format("{}, {} to {}", seconds, d.a, d.b) : seconds;
}

svg::Bar whole_bar(const char* name, double seconds) {
  return {.label = name, .parts = {seconds, 0, 0}, .note = figure(seconds, Unit::seconds)};
}

std::vector<Difference> in_order(const std::vector<Difference>& differences) {
  std::vector<Difference> moved;
  std::ranges::copy_if(differences, std::back_inserter(moved), [](auto& d) { return d.seconds != 0; });
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
      .nothing = "a layout that does not work or does not fit is not compared"};
  if (!can_compare(a, b)) return chart;
  double now = a.plan.step->seconds;
  chart.bars.push_back(whole_bar("A", now));
  for (const Difference& d : in_order(differences)) {
    const double from = std::min(now, now + d.seconds);
    chart.bars.push_back({.label = d.cause,
                          .parts = {0, std::max(0.0, d.seconds), std::max(0.0, -d.seconds)},
                          .note = note_of(d),
                          .from = std::max(0.0, from)});
    now += d.seconds;
  }
  chart.bars.push_back(whole_bar("B", b.plan.step->seconds));
  return chart;
}

Report compare_report(const ComparedPlan& a, const ComparedPlan& b, const std::vector<Difference>& all) {
  const std::vector<Difference> differences = can_compare(a, b) ? all : std::vector<Difference>{};
  return {.format = "trainplan.compare/1",
          .document = {{"a", plan_data(a)}, {"b", plan_data(b)}, {"differences", Data::List{}}},
          .key = "differences",
          .table = without("a", without("b", difference_fields(a.name, b.name).table(differences))),
          .text = compare_page(a, b, differences),
          .title = compare_title(a, b),
          .picture = [chart = compare_waterfall(a, b, differences)] { return svg::Picture(chart); }};
}

void add_explanation(const std::optional<Explained>& explained, Report& report) {
  if (!explained) {
    report.document.push_back({"explain", Data()});
    return;
  }
  const auto& [of_a, of_b, differences, crossovers] = *explained;
  const ComparedPlan a{of_a.name, of_a.loaded, of_a.plan}, b{of_b.name, of_b.loaded, of_b.plan};
  const double step = a.plan.step->seconds;
  report.document.push_back({"explain", explained_data(*explained, a, b)});
  report.text.emplace_back(fmt::format("{} less {}: {}", of_b.rank > 0 ? capital(b.name) : b.name, a.name,
                                       difference_text(a, b, seconds_between(a, b) / step)));
  report.text.emplace_back(parts_table(a, b, step, b.plan.step->seconds));
  report.text.emplace_back(worths_table(a, b, differences));
  report.text.emplace_back(crossovers_block(a.name, b.name, crossovers));
}

}  // namespace cli
