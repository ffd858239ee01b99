#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/run_figures.h"
#include "cli/pages/search_report.h"
#include "cli/svg/text.h"
#include "hw_profiles/types.h"

namespace cli {
namespace {

using planner::Found;
using planner::ResultRow;

std::vector<const ResultRow*> axes(bool days, bool usd, bool machines) {
  return {planner::find_result(days ? "days" : "step"), planner::find_result(!machines ? "memory.peak"
                                                                             : usd     ? "usd"
                                                                                       : "gpus")};
}

std::vector<const ResultRow*> axes_of(const planner::SearchOptions& options, const planner::SearchResult& result) {
  const auto all = [&](const auto& has) { return std::all_of(result.plans.begin(), result.plans.end(), has); };
  const std::vector<const ResultRow*> own =
      axes(all([](const Found& f) { return f.results.days.has_value(); }),
           all([](const Found& f) { return f.results.usd.has_value(); }), result.fewest_gpus() != result.most_gpus());
  if (options.pareto.empty()) return own;
  if (options.pareto.size() > 1) return {options.pareto[0], options.pareto[1]};
  return {options.pareto[0], options.pareto[0] == own[0] ? own[1] : own[0]};
}

/// "tp 8, pp 16, sequence_parallel": the choices in which the plans differ; a flag by its name where it is set.
std::string label(const Found& f, const std::vector<std::string>& names, const std::vector<size_t>& differ) {
  std::string text;
  for (size_t i : differ) {
    const bool* flag = std::get_if<bool>(&f.choices[i].v);
    if (flag && !*flag) continue;
    text += (text.empty() ? "" : ", ") + last_name(names[i]);
    if (!flag) text += std::string(svg::kFixedBlank) + value_text(f.choices[i]);
  }
  return text;
}

std::string tip(const Found& f, const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{} {}, ", last_name(names[i]), value_text(f.choices[i]));
  const planner::Results& r = f.results;
  return text + fmt::format("step {}, MFU {}, {}, {}, {} GPUs", figure(r.step.seconds, Unit::seconds),
                            figure(r.mfu, Unit::fraction), figure(r.days, Unit::days), figure(r.usd, Unit::usd),
                            r.gpus);
}

}  // namespace

std::vector<const ResultRow*> picture_axes(const planner::OpenScenario& open) {
  const auto& items = open.space.items();
  const bool machines = std::any_of(items.begin(), items.end(),
                                    [](const dsl::OpenItem& item) { return item.path.starts_with("cluster."); });
  const planner::Scenario& s = open.sample;
  const bool days = s.job.tokens.has_value();
  return axes(days, days && hw_profiles::hourly_price(s.cluster), machines);
}

svg::Front search_picture(const SearchHead& head, const planner::SearchOptions& options,
                          const planner::SearchResult& result) {
  const std::vector<const ResultRow*> rows = axes_of(options, result);
  const planner::FigureAxis x = axis_of(rows[0]->about), y = axis_of(rows[1]->about);
  svg::Front chart{.title = head.title + ": plans of the search",
                   .subtitle = fmt::format("{}. {} of {} candidates are feasible; the {} best and the front are shown.",
                                           head.goal, figure(result.feasible, Unit::count),
                                           figure(result.candidates, Unit::count), result.plans.size()),
                   .x = {x.title, rows[0]->about.more},
                   .y = {y.title, rows[1]->about.more},
                   .nothing = "no plan is feasible"};
  add_limit(*rows[0], head.limits, chart.x);
  add_limit(*rows[1], head.limits, chart.y);
  std::vector<Found> plans = result.plans;
  for (const Found& f : result.pareto)
    if (std::ranges::find(plans, f.position, &Found::position) == plans.end()) plans.push_back(f);
  const std::vector<size_t> differ = differing(head.choices.size(), plans);
  for (const Found& f : plans) {
    const auto at = rows[0]->figure(f.results), over = rows[1]->figure(f.results);
    if (!at || !over) continue;
    chart.points.push_back({.x = *at / x.size,
                            .y = *over / y.size,
                            .label = label(f, head.choices, differ),
                            .tip = tip(f, head.choices),
                            .best = !result.plans.empty() && &f == &plans.front()});
    if (chart.points.back().best && rows[0] == planner::find_result("days"))
      chart.points.back().along = days_span(f.results);
  }
  return chart;
}

}  // namespace cli
