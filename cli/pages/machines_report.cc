// The page:
//
//     llama3-70b, 3 machines: 9 rows, 7 with a plan
//
//     cluster   GPUs  run      cost         step  MFU  memory  energy  assumed  meets  layout
//     dgx-h100  256   42.88 d  787.9 kUSD   ...
//
//     cheapest in time: dgx-h100 with 512 GPUs
#include "cli/pages/machines_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/pages/figure_columns.h"
#include "cli/pages/other_batches.h"
#include "cli/pages/search_report.h"

namespace cli {
namespace {

using planner::MachineRow;

Data flag_data(const std::optional<bool>& flag) { return flag ? Data(*flag) : Data(); }

/// A figure of the row's plan; null without one.
template <class Of> Data of_plan(const MachineRow& row, Of of) { return row.plan ? Data(of(*row.plan)) : Data(); }

/// The run's time scales with the step's.
Data days_at(const MachineRow& row, double planner::StepTime::*seconds) {
  if (!row.plan || !row.plan->cost->days) return {};
  const planner::StepTime& step = *row.plan->step;
  return *row.plan->cost->days * (step.*seconds / step.seconds);
}

Data memory_share(const MachineRow& row) {
  return of_plan(row,
                 [](const planner::Plan& p) { return p.memory->device.peak_bytes / p.memory->device.capacity_bytes; });
}

/// "yes", or which limit is missed; "-" where the goal has none.
Data meets_text(const MachineRow& row) {
  if (!row.meets_deadline && !row.meets_budget) return {};
  std::string missed;
  if (!row.meets_deadline.value_or(true)) missed = "not the deadline";
  if (!row.meets_budget.value_or(true)) missed += missed.empty() ? "not the budget" : ", nor the budget";
  return missed.empty() ? "yes" : missed;
}

Data layout_cell(const MachineRow& row) {
  if (!row.mistake.empty()) return "cannot be planned";  // why stands below
  return row.layout ? Data(short_layout(*row.layout)) : Data("none fits: " + row.reason);
}

/// Returns why the machine has no plan; null: it has one.
Data reason(const MachineRow& row) {
  const std::string& why = row.mistake.empty() ? row.reason : row.mistake;
  return why.empty() ? Data() : Data(why);
}

Data choices_data(const MachineRow& row) {
  Data::Object out;
  for (const auto& [path, value] : row.choices) out.push_back({path, value});
  return out;
}

using MachineColumn = RowColumn<MachineRow>;
constexpr std::array kColumns{
    MachineColumn{"cluster", Unit::text, [](const MachineRow& r) { return Data(r.name); }, "cluster"},
    MachineColumn{"gpu", Unit::text, [](const MachineRow& r) { return r.gpu.empty() ? Data() : Data(r.gpu); }},
    MachineColumn{"gpus", Unit::count, [](const MachineRow& r) { return r.gpus > 0 ? Data(r.gpus) : Data(); }, "GPUs"},
    MachineColumn{"days", Unit::days, nullptr, "run"},
    MachineColumn{"usd", Unit::usd, nullptr, "cost"},
    MachineColumn{"step_seconds", Unit::seconds, nullptr, "step", 5},
    MachineColumn{"mfu", Unit::fraction, nullptr, "MFU", 2},
    MachineColumn{"memory_share", Unit::fraction, memory_share, "memory", 4},
    MachineColumn{"kwh", Unit::kwh, nullptr, "energy", 6},
    MachineColumn{"assumed_share", Unit::fraction, nullptr, "assumed", 3},
    MachineColumn{"low_days", Unit::days,
                  [](const MachineRow& r) { return days_at(r, &planner::StepTime::low_seconds); }, "from", 7},
    MachineColumn{"high_days", Unit::days,
                  [](const MachineRow& r) { return days_at(r, &planner::StepTime::high_seconds); }, "to", 7},
    MachineColumn{"usd_per_gpu_hour", Unit::usd, [](const MachineRow& r) { return Data(r.price_usd_per_gpu_hour); },
                  "price/h", 8},
    MachineColumn{"meets_deadline", Unit::text, [](const MachineRow& r) { return flag_data(r.meets_deadline); }},
    MachineColumn{"meets_budget", Unit::text, [](const MachineRow& r) { return flag_data(r.meets_budget); }},
    MachineColumn{"feasible", Unit::text, [](const MachineRow& r) { return Data(r.plan.has_value()); }},
    MachineColumn{"reason", Unit::text, reason},
    MachineColumn{"evaluated", Unit::count, [](const MachineRow& r) { return Data(r.evaluated); }},
    MachineColumn{"parallelism", Unit::text,
                  [](const MachineRow& r) { return r.layout ? parallelism_data(*r.layout) : Data(); }},
    MachineColumn{"choices", Unit::text, choices_data},
};

const std::vector<MachineColumn>& columns() {
  static const std::vector<MachineColumn> all = with_other_figures(kColumns);
  return all;
}

std::optional<planner::Results> results(const MachineRow& row) {
  return row.plan ? std::optional(planner::results_of(*row.plan)) : std::nullopt;
}

Table rows_table(const std::vector<MachineRow>& rows) {
  Table table;
  for (const MachineColumn& c : columns()) table.columns.push_back({.name = c.name, .unit = c.unit});
  for (const MachineRow& row : rows) table.rows.push_back(row_cells(columns(), row, results(row)));
  return table;
}

/// Choices that the scenario itself leaves open, in any row: what is best of them is no one's secret.
std::vector<std::string> written_choices(const std::vector<MachineRow>& rows) {
  std::vector<std::string> names;
  for (const MachineRow& row : rows)
    for (const std::string& name : row.written)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

Data chosen(const MachineRow& row, const std::string& name) {
  for (const auto& [path, value] : row.choices)
    if (path == name) return value;
  return {};
}

Table page_table(const std::vector<MachineRow>& rows) {
  Table table;
  const std::vector<std::string> written = written_choices(rows);
  const bool limits = std::ranges::any_of(rows, [](const MachineRow& r) { return r.meets_deadline || r.meets_budget; });
  std::vector<MachineColumn> shown;
  std::ranges::copy_if(kColumns, std::back_inserter(shown), [](const MachineColumn& c) { return *c.heading != 0; });
  for (const MachineColumn& c : shown)
    table.columns.push_back({.name = c.name, .unit = c.unit, .rank = c.rank, .heading = c.heading});
  for (const std::string& name : written) table.columns.push_back({.name = name, .heading = last_name(name)});
  if (limits) table.columns.push_back({.name = "meets"});
  table.columns.push_back({.name = "layout", .rank = 1});
  for (const MachineRow& row : rows) {
    std::vector<Data> cells = row_cells(shown, row, results(row));
    for (const std::string& name : written) cells.push_back(chosen(row, name));
    if (limits) cells.push_back(meets_text(row));
    cells.push_back(layout_cell(row));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string with_gpus(const MachineRow& row) { return fmt::format("{} with {} GPUs", row.name, row.gpus); }

/// What cannot be planned and why, a line for each reason.
std::vector<std::string> mistakes(const std::vector<MachineRow>& rows) {
  std::vector<std::string> why, names;
  for (const MachineRow& row : rows) {
    if (row.mistake.empty()) continue;
    const auto at = std::ranges::find(why, row.mistake);
    if (at == why.end()) why.push_back(row.mistake), names.push_back(row.name);
    else names[static_cast<size_t>(at - why.begin())] += ", " + row.name;
  }
  for (size_t i = 0; i < why.size(); ++i) why[i] = fmt::format("{} cannot be planned: {}", names[i], why[i]);
  return why;
}

/// What is best, and which machines have no price.
std::vector<std::string> notes(const std::vector<MachineRow>& rows) {
  std::vector<std::string> lines;
  const std::optional<size_t> best = planner::best_machine(rows);
  const bool any = std::ranges::any_of(rows, [](const MachineRow& r) { return r.plan.has_value(); });
  if (best) lines.push_back("best for the goal: " + with_gpus(rows[*best]));
  else if (std::ranges::any_of(rows, &MachineRow::is_met)) lines.emplace_back("the goal has no value in any row");
  else if (any) lines.emplace_back("no row meets deadline and budget");
  std::string unpriced;
  for (const MachineRow& row : rows)
    if (row.plan && !row.price_usd_per_gpu_hour && unpriced.find(row.name) == std::string::npos)
      unpriced += (unpriced.empty() ? "" : ", ") + row.name;
  if (!unpriced.empty())
    lines.push_back("no price is known of " + unpriced +
                    ": give one by --prices FILE or --set 'cluster.price=2 USD/h'");
  return lines;
}

std::string machines_headline(const std::string& title, const std::vector<MachineRow>& rows) {
  const auto planned = std::ranges::count_if(rows, [](const MachineRow& r) { return r.plan.has_value(); });
  int64_t costed = 0;
  for (const MachineRow& row : rows) costed += row.evaluated;
  return fmt::format("{}: {} rows, {} configurations costed, {} with a plan that fits", title, rows.size(),
                     figure(Data(costed), Unit::count), planned);
}

}  // namespace

Report machines_report(const std::string& title, const std::vector<MachineRow>& rows) {
  const std::optional<size_t> best = planner::best_machine(rows);
  Report report{.format = "trainplan.clusters/1",
                .document = {{"rows", Data::List{}}, {"best", best ? Data(static_cast<int64_t>(*best)) : Data()}},
                .key = "rows",
                .table = rows_table(rows),
                .text = {machines_headline(title, rows), page_table(rows)}};
  for (std::string& line : mistakes(rows)) report.text.emplace_back(std::move(line));
  for (std::string& line : notes(rows)) report.text.emplace_back(std::move(line));
  planner::NamedBatches others;
  for (const MachineRow& row : rows)
    if (row.other_batch) others.found.push_back({{row.uses, row.name}, *row.other_batch});
  add_other_batches(others, report);
  return report;
}

svg::Front machines_picture(const std::string& title, const std::vector<MachineRow>& rows) {
  const std::optional<size_t> best = planner::best_machine(rows);
  svg::Front chart{.title = title,
                   .subtitle = "the best layout of each machine and number of GPUs",
                   .x = {.title = "run, days"},
                   .y = {.title = "cost of the run, USD"},
                   .points = {},
                   .nothing = "no machine has both a plan that fits and a price"};
  for (size_t i = 0; i < rows.size(); ++i) {
    const MachineRow& row = rows[i];
    if (!row.plan || !row.plan->cost->days || !row.plan->cost->usd) continue;
    const planner::RunCost& cost = *row.plan->cost;
    chart.points.push_back(
        {.x = *cost.days,
         .y = *cost.usd,
         .label = fmt::format("{}, {}", row.name, row.gpus),
         .tip = fmt::format("{}: {}, {}, MFU {}, {}", with_gpus(row), figure(Data(*cost.days), Unit::days),
                            figure(Data(*cost.usd), Unit::usd), figure(Data(row.plan->throughput->mfu), Unit::fraction),
                            short_layout(*row.layout)),
         .best = i == best});
  }
  return chart;
}

}  // namespace cli
