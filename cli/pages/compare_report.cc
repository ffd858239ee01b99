// The page of a comparison:
//
//     A: gpt3-175b on 512 x a100-sxm-80gb: 12.34 s per step, MFU 52.3 %
//     B: ...
//     B less A: 1.234 s per step (10.0 %), 123.4 kUSD
//
//     What each difference is worth
//     difference          A     B     step       cost
//     parallelism.tp ...  8, 8  4, 16 -1.234 s   ...
//
//     Where the step goes
//     part      A         B         difference
#include "cli/pages/compare_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "cli/pages/plan_report.h"
#include "cli/pages/plan_text.h"
#include "cli/report/row_fields.h"

namespace cli {
namespace {

using planner::Difference;

Data plan_data(const ComparedPlan& side) {
  Report report = completed(plan_report(side.loaded, side.plan, {}, planner::stage_uses(side.loaded.scenario)));
  Data::Object object{{"format", report.format}};
  std::move(report.document.begin(), report.document.end(), std::back_inserter(object));
  return object;
}

RowFields<Difference> fields() {
  return {{"cause", &Difference::cause},
          {"seconds", &Difference::seconds, Unit::seconds},
          {"usd", &Difference::usd, Unit::usd}};
}

// ---- the page

/// "A: gpt3-175b on 512 x a100-sxm-80gb: ...", and what does not work.
void add_headlines(std::vector<Block>& blocks, const ComparedPlan& side) {
  blocks.emplace_back(side.name + (": " + std::get<std::string>(plan_text(side.loaded, side.plan).front())));
  for (const planner::Violation& v : side.plan.violations)
    blocks.emplace_back(fmt::format("   {}: {}", v.rule, v.message));
}

bool costs_something(const Difference& d) { return d.seconds != 0 || d.usd.value_or(0) != 0; }

/// "worth nothing: job.tokens, cluster.gpu.memory"; empty if there is no such difference.
std::string worth_nothing(const std::vector<Difference>& differences) {
  std::string line;
  for (const Difference& d : differences)
    if (!costs_something(d)) line += (line.empty() ? "worth nothing: " : ", ") + d.cause;
  return line;
}

std::vector<Block> page(const ComparedPlan& a, const ComparedPlan& b, const std::vector<Difference>& differences) {
  std::vector<Block> blocks;
  add_headlines(blocks, a);
  add_headlines(blocks, b);
  if (!a.plan.step || !b.plan.step) {
    blocks.emplace_back("a layout that does not work has no step: there is nothing to compare");
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
  blocks.emplace_back(worths_table(a, b, worth));
  if (const std::string line = worth_nothing(differences); !line.empty()) blocks.emplace_back(line);
  blocks.emplace_back(parts_table(a, b, a.plan.breakdown->sum(), b.plan.breakdown->sum()));
  return blocks;
}

// ---- the picture

/// "-1.234 s, 8 to 4"; of several fields that moved together the seconds alone.
std::string note_of(const Difference& d) {
  const std::string seconds = (d.seconds > 0 ? "+" : "") + figure(Data(d.seconds), Unit::seconds);
  const bool one_field = d.cause.find(" + ") == std::string::npos && !d.a.empty() && !d.b.empty();
  return one_field ? fmt::format("{}, {} to {}", seconds, d.a, d.b) : seconds;
}

svg::Bar whole_bar(const char* name, double seconds) {
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

Report compare_report(const ComparedPlan& a, const ComparedPlan& b, const std::vector<Difference>& differences) {
  return {.format = "trainplan.compare/1",
          .document = {{"a", plan_data(a)}, {"b", plan_data(b)}, {"differences", Data::List{}}},
          .key = "differences",
          .table = fields().table(differences),
          .text = page(a, b, differences),
          .picture = [chart = compare_waterfall(a, b, differences)] { return svg::Picture(chart); }};
}

}  // namespace cli
