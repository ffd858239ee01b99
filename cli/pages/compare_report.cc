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

#include "cli/pages/compare_picture.h"
#include "cli/pages/plan_report.h"
#include "cli/pages/plan_text.h"

namespace cli {
namespace {

using planner::Difference;

Data plan_data(const Compared& side) {
  Report report = completed(plan_report(side.loaded, side.plan, {}, planner::stage_uses(side.loaded.scenario)));
  Data::Object object{{"format", report.format}};
  std::move(report.document.begin(), report.document.end(), std::back_inserter(object));
  return object;
}

Table rows(const std::vector<Difference>& differences) {
  Table table{
      .columns = {{.name = "cause"}, {.name = "seconds", .unit = Unit::seconds}, {.name = "usd", .unit = Unit::usd}}};
  for (const Difference& d : differences) table.rows.push_back({d.cause, d.seconds, d.usd});
  return table;
}

// ---- the page

/// "A: gpt3-175b on 512 x a100-sxm-80gb: ...", and what does not work.
void add_headlines(std::vector<Block>& blocks, const char* name, const Compared& side) {
  blocks.emplace_back(name + (": " + std::get<std::string>(plan_text(side.loaded, side.plan).front())));
  for (const planner::Violation& v : side.plan.violations)
    blocks.emplace_back(fmt::format("   {}: {}", v.rule, v.message));
}

std::optional<double> less(const std::optional<double>& b, const std::optional<double>& a) {
  return a && b ? std::optional(*b - *a) : std::nullopt;
}

std::optional<double> usd_between(const Compared& a, const Compared& b) {
  return less(b.plan.cost->usd, a.plan.cost->usd);
}

std::string compared_summary(const Compared& a, const Compared& b) {
  const double before = a.plan.step->seconds, after = b.plan.step->seconds;
  std::string line = fmt::format("B less A: {} per step ({})", figure(Data(after - before), Unit::seconds),
                                 figure(Data(after / before - 1), Unit::fraction));
  if (const auto usd = usd_between(a, b)) line += ", " + figure(Data(*usd), Unit::usd) + " for the run";
  return line;
}

bool costs_something(const Difference& d) { return d.seconds != 0 || d.usd.value_or(0) != 0; }

Table worths(const Compared& a, const Compared& b, const std::vector<Difference>& differences) {
  Table table{.title = "What each difference is worth",
              .columns = {{.name = "difference"},
                          {.name = "a", .rank = 1, .heading = "A"},
                          {.name = "b", .rank = 1, .heading = "B"},
                          {.name = "step", .unit = Unit::seconds},
                          {.name = "cost", .unit = Unit::usd}}};
  for (const Difference& d : differences)
    if (costs_something(d)) table.rows.push_back({d.cause, d.a, d.b, d.seconds, d.usd});
  table.rows.push_back({"together", "", "", b.plan.step->seconds - a.plan.step->seconds, usd_between(a, b)});
  return table;
}

/// "worth nothing: job.tokens, cluster.gpu.memory"; empty: there is no such difference.
std::string worth_nothing(const std::vector<Difference>& differences) {
  std::string line;
  for (const Difference& d : differences)
    if (!costs_something(d)) line += (line.empty() ? "worth nothing: " : ", ") + d.cause;
  return line;
}

Table parts(const planner::Breakdown& a, const planner::Breakdown& b) {
  Table table{.title = "Where the step goes",
              .columns = {{.name = "part"},
                          {.name = "a", .unit = Unit::seconds, .heading = "A"},
                          {.name = "b", .unit = Unit::seconds, .heading = "B"},
                          {.name = "difference", .unit = Unit::seconds}}};
  const auto add = [&](const char* name, double before, double after) {
    table.rows.push_back({name, before, after, after - before});
  };
  for (const planner::BreakdownPart& part : planner::kBreakdownParts)
    add(part.heading, a.*part.seconds, b.*part.seconds);
  add("step", a.sum(), b.sum());
  return table;
}

std::vector<Block> page(const Compared& a, const Compared& b, const std::vector<Difference>& differences) {
  std::vector<Block> blocks;
  add_headlines(blocks, "A", a);
  add_headlines(blocks, "B", b);
  if (!a.plan.step || !b.plan.step) {
    blocks.emplace_back("a layout that does not work has no step: there is nothing to compare");
    return blocks;
  }
  if (differences.empty()) {
    blocks.emplace_back("nothing differs that a plan depends on");
    return blocks;
  }
  blocks.emplace_back(compared_summary(a, b));
  blocks.emplace_back(worths(a, b, differences));
  if (const std::string line = worth_nothing(differences); !line.empty()) blocks.emplace_back(line);
  blocks.emplace_back(parts(*a.plan.breakdown, *b.plan.breakdown));
  return blocks;
}

}  // namespace

Report compare_report(const Compared& a, const Compared& b, const std::vector<Difference>& differences) {
  return {.format = "trainplan.compare/1",
          .document = {{"a", plan_data(a)}, {"b", plan_data(b)}, {"differences", Data::List{}}},
          .key = "differences",
          .table = rows(differences),
          .text = page(a, b, differences),
          .picture = [chart = compare_waterfall(a, b, differences)] { return svg::Picture(chart); }};
}

}  // namespace cli
