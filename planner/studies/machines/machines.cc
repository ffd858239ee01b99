#include "planner/studies/machines/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dsl/unit_sizes.h"
#include "dsl/write.h"
#include "planner/plan/missing_price.h"
#include "planner/plan/plan.h"
#include "planner/plan/violations.h"
#include "planner/resolve/with_layout.h"
#include "planner/search/goal.h"
#include "planner/search/rank_plans.h"
#include "planner/search/refusals.h"

namespace planner {
namespace {

constexpr const char* kGpus = "cluster.gpus";
constexpr const char* kCheapest = "usd";

/// Empty: diagnosed.
std::vector<int64_t> asked_counts(const OpenScenario& open, dsl::Diagnostics& diagnostics) {
  std::vector<int64_t> counts = gpu_counts(open);
  const auto item = std::ranges::find(open.space.items(), kGpus, &dsl::OpenItem::path);
  if (counts.empty())
    diagnostics.error(item->span, "cluster.gpus follows other choices here",
                      "write the numbers of GPUs to compare: [128, 256]");
  return counts;
}

/// Whether a rule refuses candidates before anything is costed.
bool is_of_layout(const std::string& rule) {
  if (rule == kProgramRule) return true;
  for (const dsl::Refusal refusal : {dsl::Refusal::divisibility, dsl::Refusal::value})
    if (rule == refusal_name(refusal)) return true;
  for (size_t i = 0; i < layout_rule_count(); ++i)
    if (rule == layout_rule_name(i)) return true;
  return false;
}

/// One row, from its scenario to its plan.
class RowPlanner {
 public:
  RowPlanner(const ScenarioText& text, Opens opens, const SearchOptions& search, MachineRow& row)
      : text_(text), opens_(opens), search_(search), row_(row) {
    search_.top = 1;
    search_.pareto.clear();
  }

  /// `first`: the scenario as it was read before, if it is the row's.
  void fill(std::optional<OpenScenario> first, dsl::Diagnostics& diagnostics) {
    std::optional<OpenScenario> open = opened(std::move(first), diagnostics);
    if (!open) return;
    row_.gpu = open->sample.cluster.gpu.name;
    if (row_.name.empty()) row_.name = open->sample.cluster.name.empty() ? row_.gpu : open->sample.cluster.name;
    const Goal limits = open->sample.goal;
    // Dollars separate rows of equal steps, such as contracts of a price.
    if (!limits.minimize && !limits.maximize && open->sample.job.tokens) make_cheap(open->sample.goal);
    open->sample.goal.deadline.reset();
    open->sample.goal.budget.reset();
    SearchResult result = ranked_search(*open, search_);
    row_.evaluated = result.evaluated;
    const bool has_goal = !result.plans.empty() || result.rejected.count(kGoalRule) == 0;
    if (!has_goal) {  // dollars without a price: the fastest plan is shown, and is never the best row
      open->sample.goal.minimize.reset();
      open->sample.goal.maximize.reset();
      result = ranked_search(*open, search_);
    }
    if (result.plans.empty()) return refused(result);
    const std::vector<std::string> names = choice_names(open->space);
    for (size_t i = 0; i < names.size(); ++i)
      row_.choices.emplace_back(names[i], dsl::write_value(result.plans.front().choices[i]));
    row_.objective = has_goal ? result.plans.front().objective : std::numeric_limits<double>::infinity();
    take_best(limits);
  }

 private:
  /// The scenario with the fields that it leaves to a search, which `overrides_` have too. Warnings were reported when
  /// the machine was first read.
  std::optional<OpenScenario> opened(std::optional<OpenScenario> first, dsl::Diagnostics& diagnostics) {
    dsl::Diagnostics again;
    auto read =
        first ? read_with_layout(*std::move(first), text_, opens_, again) : read_with_layout(text_, opens_, again);
    for (const dsl::Diagnostic& d : again.list)
      if (d.severity == dsl::Severity::error) diagnostics.list.push_back(d);
    if (!read) return std::nullopt;
    overrides_ = std::move(read->overrides);
    for (const std::string& name : choice_names(read->scenario.space))
      if (std::ranges::find(read->opened, name) == read->opened.end()) row_.written.push_back(name);
    return std::move(read->scenario);
  }

  static void make_cheap(Goal& goal) {
    dsl::Diagnostics none;
    goal.minimize = dsl::Expression{dsl::parse_expression(kCheapest, {}, none), kCheapest, {}};
  }

  /// Deadline and budget refuse no row, and no batch.
  void offer_batch() {
    const ScenarioText text{text_.source, overrides_, text_.catalog, text_.sources};
    row_.other_batch = other_batch(text, row_.gpus, search_, GoalLimits::ignored);
  }

  void refused(const SearchResult& result) {
    if (result.evaluated == 0) offer_batch();
    std::vector<std::pair<std::string, int64_t>> rules(result.rejected.begin(), result.rejected.end());
    std::ranges::stable_sort(rules, std::greater(), &std::pair<std::string, int64_t>::second);
    // What works and does not fit says more than what cannot work.
    std::stable_partition(rules.begin(), rules.end(), [](const auto& r) { return !is_of_layout(r.first); });
    for (const auto& [rule, count] : rules)
      row_.reason += fmt::format("{}{} {}", row_.reason.empty() ? "" : ", ", rule, count);
  }

  void take_best(const Goal& limits) {
    dsl::Diagnostics unasked;  // the space has been read without a mistake
    const auto loaded =
        read_scenario(text_.source, overrides_, text_.catalog, text_.sources, unasked, {.chosen = row_.choices});
    if (!loaded) return;
    row_.plan = make_plan(loaded->scenario);
    row_.layout = loaded->scenario.parallelism;
    const RunCost& cost = *row_.plan->cost;
    row_.price_usd_per_gpu_hour = cost.usd_per_gpu_hour;
    row_.price_terms = price_terms(*loaded);
    row_.miss = goal_miss(limits, cost);
    if (limits.deadline && cost.days) row_.meets_deadline = row_.miss.days == 0;
    if (limits.budget && cost.usd) row_.meets_budget = row_.miss.usd == 0;
    row_.lacks_price = limits.budget && !cost.usd;
  }

  const ScenarioText& text_;
  Opens opens_;
  SearchOptions search_;
  MachineRow& row_;
  std::vector<dsl::Override> overrides_;
};

/// Without a goal rows are compared by dollars where any has a price, else by days, else by the step: never one by the
/// one and one by the other.
void rank_by_worth(std::vector<MachineRow>& rows) {
  using Figure = std::optional<double> (*)(const Plan&);
  constexpr Figure kFigures[] = {[](const Plan& p) { return p.cost->usd; }, [](const Plan& p) { return p.cost->days; },
                                 [](const Plan& p) { return std::optional(p.step->seconds); }};
  for (const Figure figure : kFigures) {
    const auto has = [figure](const MachineRow& row) { return row.plan && figure(*row.plan); };
    if (std::ranges::none_of(rows, has)) continue;
    for (MachineRow& row : rows)
      row.objective = has(row) ? *figure(*row.plan) : std::numeric_limits<double>::infinity();
    return;
  }
}

/// An alternative, read before anything is searched.
struct MachineReading {
  const MachineGroup* group;
  const UsedEntries* entries;
  std::vector<dsl::Override> overrides;
  dsl::Diagnostics told;
  std::vector<int64_t> counts;       // numbers of GPUs
  std::optional<OpenScenario> open;  // nullopt: it cannot be read, or its rows differ from it
  bool has_goal = false;
  bool is_misnamed = false;  // no entry has the name: such a row was not requested
};

bool is_at(const dsl::Diagnostic& d, const dsl::Override& use) {
  return d.severity == dsl::Severity::error && d.span.source == use.place.source && d.span.line == use.place.line &&
         d.span.column == use.place.column;
}

MachineReading read_machine(const MachineGroup& group, const UsedEntries& entries) {
  const ScenarioText& text = group.text;
  MachineReading machine{.group = &group, .entries = &entries, .overrides = overrides_of(text, entries)};
  auto open = read_open_scenario(text.source, machine.overrides, text.catalog, text.sources, machine.told);
  if (open) machine.has_goal = open->sample.goal.minimize || open->sample.goal.maximize;
  if (open) machine.counts = asked_counts(*open, machine.told);
  for (const dsl::Override& use : entries.uses)
    machine.is_misnamed |= std::ranges::any_of(machine.told.list, [&](const auto& d) { return is_at(d, use); });
  const bool is_one_row =
      open && std::ranges::find(open->space.items(), kGpus, &dsl::OpenItem::path) == open->space.items().end();
  if (is_one_row && !machine.told.has_errors()) machine.open.emplace(*std::move(open));
  return machine;
}

/// "" or the first error's message.
std::string first_mistake(const dsl::Diagnostics& told) {
  for (const dsl::Diagnostic& d : told.list)
    if (d.severity == dsl::Severity::error) return d.message;
  return "";
}

/// A row for each number of GPUs; of a machine that cannot be read one without a number.
void add_rows(const SearchOptions& search, MachineReading& machine, std::vector<MachineRow>& rows) {
  const ScenarioText& text = machine.group->text;
  MachineRow row{.name = machine.entries->name,
                 .is_run = machine.group->is_run,
                 .uses = machine.entries->uses,
                 .mistake = first_mistake(machine.told)};
  if (!row.mistake.empty()) rows.push_back(row);
  for (const int64_t gpus : machine.counts) {
    if (search.stop && search.stop->load()) return;
    row.gpus = gpus;
    std::vector<dsl::Override> with_gpus = machine.overrides;
    with_gpus.push_back({fmt::format("{}={}", kGpus, gpus)});
    const ScenarioText here{text.source, with_gpus, text.catalog, text.sources};
    dsl::Diagnostics told;
    RowPlanner(here, machine.group->opens, search, rows.emplace_back(row)).fill(std::move(machine.open), told);
    machine.open.reset();
    rows.back().mistake = first_mistake(told);
    if (search.progress) ++search.progress->rows;
    machine.told.list.insert(machine.told.list.end(), told.list.begin(), told.list.end());
  }
}

}  // namespace

std::vector<MachineRow> machine_rows(std::span<const MachineGroup> groups, const SearchOptions& search,
                                     dsl::Diagnostics& diagnostics) {
  std::vector<MachineReading> machines;
  for (const MachineGroup& group : groups)
    for (const UsedEntries& machine : group.machines) machines.push_back(read_machine(group, machine));
  std::vector<MachineRow> rows;
  if (!std::ranges::any_of(machines, &MachineReading::is_misnamed)) {
    for (const MachineReading& machine : machines)
      if (search.progress) search.progress->of_rows += std::ssize(machine.counts);
    for (MachineReading& machine : machines) add_rows(search, machine, rows);
    if (std::ranges::none_of(machines, &MachineReading::has_goal)) rank_by_worth(rows);
  }
  std::vector<dsl::Diagnostics> told;
  for (MachineReading& machine : machines) told.push_back(std::move(machine.told));
  const auto is_mistaken = [](const MachineRow& row) { return !row.mistake.empty(); };
  if (!std::ranges::all_of(rows, is_mistaken))
    for (dsl::Diagnostics& of_one : told)
      std::erase_if(of_one.list, [](const dsl::Diagnostic& d) { return d.severity == dsl::Severity::error; });
  tell_once(told, diagnostics);
  if (diagnostics.has_errors()) rows.clear();
  return rows;
}

std::optional<size_t> best_machine(const std::vector<MachineRow>& rows) {
  std::optional<size_t> best;
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].is_met() && std::isfinite(rows[i].objective) && (!best || rows[i].objective < rows[*best].objective))
      best = i;
  return best;
}

std::optional<size_t> nearest_machine(const std::vector<MachineRow>& rows) {
  std::optional<size_t> nearest;
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].plan && (!nearest || rows[i].miss.shares < rows[*nearest].miss.shares)) nearest = i;
  return nearest;
}

}  // namespace planner
