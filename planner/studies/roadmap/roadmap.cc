#include "planner/studies/roadmap/roadmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dsl/unit_sizes.h"
#include "dsl/write.h"
#include "planner/plan/goals.h"
#include "planner/plan/plan.h"
#include "planner/plan/violations.h"
#include "planner/search/rank_plans.h"

namespace planner {
namespace {

std::vector<dsl::Override> overrides_of(const ScenarioText& text, const std::vector<RoadmapSet>& sets) {
  std::vector<dsl::Override> all = text.overrides;
  for (const RoadmapSet& set : sets) all.push_back(override_of(set));
  return all;
}

bool is_told(const dsl::Diagnostics& told, const dsl::Diagnostic& d) {
  return std::any_of(told.list.begin(), told.list.end(), [&](const dsl::Diagnostic& t) {
    return t.message == d.message && t.span.source == d.span.source && t.span.line == d.span.line &&
           t.span.column == d.span.column;
  });
}

bool is_open(const OpenScenario& open, std::string_view path) {
  const auto& items = open.space.items();
  return std::any_of(items.begin(), items.end(), [&](const dsl::OpenItem& item) { return item.path == path; });
}

std::string joined(const std::vector<Violation>& violations) {
  std::string out;
  for (const Violation& v : violations) out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", v.rule, v.message);
  return out;
}

/// One cell of the grid, from its scenario to its figures.
class CellPlanner {
 public:
  CellPlanner(const ScenarioText& text, const SearchOptions& search, RoadmapCell& cell, OpenScenario& open)
      : text_(text), search_(search), cell_(cell), open_(open) {
    search_.top = 1;
    search_.pareto.clear();
  }

  void fill() {
    std::optional<dsl::Seconds>& deadline = open_.sample.goal.deadline;
    if (deadline && !is_open(open_, "cluster.gpus")) needed_within_ = std::exchange(deadline, std::nullopt);
    else if (deadline && !open_.sample.goal.minimize && !open_.sample.goal.maximize) make_gpus_few();
    if (choice_names(open_.space).empty()) fixed({open_.space.record(), open_.sample});
    else searched();
  }

 private:
  void make_gpus_few() {
    dsl::Diagnostics none;
    const char* text = "gpus - mfu";  // few, and of plans on as many the fastest: mfu is below 1
    open_.sample.goal.minimize = dsl::Expression{dsl::parse_expression(text, {}, none), text, {}};
  }

  void fixed(const LoadedScenario& loaded) {
    Plan plan = make_plan(loaded.scenario);
    dsl::Diagnostics unasked;  // conditions without a value do not hold
    check_goals(plan, loaded, unasked);
    cell_.feasible = plan.feasible;
    cell_.reason = joined(plan.violations);
    cell_.evaluated = plan.step ? 1 : 0;
    take(loaded.scenario, plan);
  }

  void searched() {
    const SearchResult result = ranked_search(open_, search_);
    cell_.evaluated = result.evaluated;
    cell_.feasible = !result.plans.empty();
    if (!cell_.feasible) return refused(result);
    choose(result.plans.front().choices);
    if (const auto loaded = read_chosen()) take(loaded->scenario, make_plan(loaded->scenario));
  }

  void refused(const SearchResult& result) {
    for (const auto& [rule, count] : result.rejected)
      cell_.reason += fmt::format("{}{} {}", cell_.reason.empty() ? "rejected: " : ", ", rule, count);
    if (!result.nearest) return;
    choose(result.nearest->choices);
    if (const auto nearest = read_chosen()) take_memory(make_plan(nearest->scenario));
    cell_.choices.clear();
  }

  void choose(const std::vector<dsl::Value>& values) {
    const std::vector<std::string> names = choice_names(open_.space);
    for (size_t i = 0; i < values.size(); ++i) cell_.choices.emplace_back(names[i], values[i]);
  }

  std::optional<LoadedScenario> read_chosen() const {
    ReadOptions options;
    for (const auto& [path, value] : cell_.choices) options.chosen.emplace_back(path, dsl::write_value(value));
    dsl::Diagnostics unasked;  // the space has been read without a mistake
    return read_scenario(text_.source, overrides_of(text_, cell_.sets), text_.catalog, text_.sources, unasked, options);
  }

  void take_memory(const Plan& plan) {
    if (plan.memory)
      cell_.memory_demand_over_capacity = plan.memory->device.peak_bytes / plan.memory->device.capacity_bytes;
  }

  void take(const Scenario& s, const Plan& plan) {
    if (!plan.step) return;
    take_memory(plan);
    cell_.fractions = comm_fractions(s);
    cell_.results = results_of(plan);
    cell_.parallelism = s.parallelism;
    cell_.planned_gpus = s.cluster.gpus;
    cell_.gpus = needed_within_ ? gpus_for_deadline(s, *needed_within_) : std::optional(s.cluster.gpus);
  }

  const ScenarioText& text_;
  SearchOptions search_;
  RoadmapCell& cell_;
  OpenScenario& open_;
  std::optional<dsl::Seconds> needed_within_;
};

}  // namespace

std::optional<int64_t> gpus_for_deadline(Scenario s, dsl::Seconds deadline) {
  const int64_t replica = product(s.parallelism, [](const Degree& d) { return d.has_ranks() && !d.rest; });
  const int64_t most = s.job.global_batch / s.parallelism.microbatch;
  for (int64_t dp = 1; dp <= most; ++dp) {
    if (most % dp != 0) continue;
    s.cluster.gpus = dp * replica;
    set_data_degree(s.parallelism, dp);
    const Plan plan = make_plan(s);
    if (plan.feasible && plan.cost->days && *plan.cost->days * dsl::kDay <= deadline.value) return s.cluster.gpus;
  }
  return std::nullopt;
}

std::vector<RoadmapCell> roadmap_cells(const Roadmap& roadmap, const ScenarioText& text, const SearchOptions& search,
                                       dsl::Diagnostics& diagnostics) {
  std::vector<RoadmapCell> cells;
  std::vector<OpenScenario> scenarios;
  for (const RoadmapStep& step : roadmap.steps)
    for (const RoadmapStep& model : roadmap.models) {
      RoadmapCell cell{.step = step.name, .model = model.name, .sets = step.sets};
      cell.sets.insert(cell.sets.end(), model.sets.begin(), model.sets.end());
      dsl::Diagnostics found;
      auto open = read_open_scenario(text.source, overrides_of(text, cell.sets), text.catalog, text.sources, found);
      for (dsl::Diagnostic& d : found.list)
        if (!is_told(diagnostics, d)) diagnostics.list.push_back(std::move(d));
      if (open) scenarios.push_back(std::move(*open));
      cells.push_back(std::move(cell));
    }
  if (diagnostics.has_errors()) return {};
  if (search.progress) search.progress->of_rows = std::ssize(cells);
  for (size_t i = 0; i < cells.size() && !(search.stop && search.stop->load()); ++i) {
    CellPlanner(text, search, cells[i], scenarios[i]).fill();
    if (search.progress) ++search.progress->rows;
  }
  return cells;
}

}  // namespace planner
