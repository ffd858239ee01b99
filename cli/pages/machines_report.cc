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

#include "cli/pages/candidate_rows.h"
#include "cli/pages/search_report.h"

namespace cli {
namespace {

using planner::MachineRow;

/// The run's time scales with the step's.
auto days_at(double planner::StepTime::*seconds) {
  return if_any(&MachineRow::plan, [=](const planner::Plan& plan) -> std::optional<double> {
    if (!plan.cost->days) return std::nullopt;
    return *plan.cost->days * ((*plan.step).*seconds / plan.step->seconds);
  });
}

double memory_share(const planner::Plan& plan) {
  return plan.memory->device.peak_bytes / plan.memory->device.capacity_bytes;
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

std::optional<planner::Results> results(const MachineRow& row) {
  return row.plan ? std::optional(planner::results_of(*row.plan)) : std::nullopt;
}

RowFields<MachineRow> machine_fields() {
  const auto figure = [](const char* name, const char* heading, int rank = 0) {
    return figure_field<MachineRow>(name, results, heading, rank);
  };
  return {{"cluster", &MachineRow::name, Unit::text, ""},
          {"gpu", or_null(&MachineRow::gpu)},
          {"gpus", [](const MachineRow& r) { return r.gpus > 0 ? Data(r.gpus) : Data(); }, Unit::count, "GPUs"},
          figure("days", "run"),
          figure("usd", "cost"),
          figure("step_seconds", "step", 5),
          figure("mfu", "MFU", 2),
          {"memory_share", if_any(&MachineRow::plan, memory_share), Unit::fraction, "memory", 4},
          figure("kwh", "energy", 6),
          figure("assumed_share", "assumed", 3),
          {"low_days", days_at(&planner::StepTime::low_seconds), Unit::days, "from", 7},
          {"high_days", days_at(&planner::StepTime::high_seconds), Unit::days, "to", 7},
          {"usd_per_gpu_hour", &MachineRow::price_usd_per_gpu_hour, Unit::usd, "price/h", 8},
          {"meets_deadline", &MachineRow::meets_deadline},
          {"meets_budget", &MachineRow::meets_budget},
          {"feasible", [](const MachineRow& r) { return r.plan.has_value(); }},
          {"reason", or_null([](const MachineRow& r) { return r.mistake.empty() ? r.reason : r.mistake; })},
          {"evaluated", &MachineRow::evaluated, Unit::count},
          {"parallelism", if_any(&MachineRow::layout, parallelism_data)},
          {"choices", [](const MachineRow& r) { return members_of(r.choices); }}};
}

/// Choices that the scenario itself leaves open, in any row: their best values are shown.
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
  RowFields<MachineRow> fields = machine_fields();
  const std::vector<std::string> written = written_choices(rows);
  for (const std::string& name : written)
    fields.add({name.c_str(), [&](const MachineRow& row) { return chosen(row, name); }, Unit::text, last_name(name)});
  if (std::ranges::any_of(rows, [](const MachineRow& r) { return r.meets_deadline || r.meets_budget; }))
    fields.add({"meets", meets_text, Unit::text, ""});
  fields.add({"layout", layout_cell, Unit::text, "", 1});
  return fields.page("", rows);
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

/// The best row, and the machines without a price.
std::vector<std::string> notes(const std::vector<MachineRow>& rows) {
  std::vector<std::string> lines;
  const std::optional<size_t> best = planner::best_machine(rows);
  const std::optional<size_t> nearest = planner::nearest_machine(rows);
  if (best) lines.push_back("best for the goal: " + with_gpus(rows[*best]));
  else if (std::ranges::any_of(rows, &MachineRow::is_met)) lines.emplace_back("the goal has no value in any row");
  else if (nearest)
    lines.push_back("no row meets deadline and budget; nearest: " + with_gpus(rows[*nearest]) +
                    miss_text(rows[*nearest].miss));
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
                     figure(costed, Unit::count), planned);
}

}  // namespace

Report machines_report(const std::string& title, const std::vector<MachineRow>& rows) {
  const std::optional<size_t> best = planner::best_machine(rows);
  Report report{.format = "trainplan.clusters/1",
                .document = {{"rows", Data::List{}}, {"best", field_data(best)}},
                .key = "rows",
                .table = with_other_figures(machine_fields(), results).table(rows),
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
                   .nothing = "no machine has both a plan that fits and a price"};
  for (size_t i = 0; i < rows.size(); ++i) {
    const MachineRow& row = rows[i];
    if (!row.plan || !row.plan->cost->days || !row.plan->cost->usd) continue;
    const planner::RunCost& cost = *row.plan->cost;
    chart.points.push_back(
        {.x = *cost.days,
         .y = *cost.usd,
         .label = fmt::format("{}, {}", row.name, row.gpus),
         .tip = fmt::format("{}: {}, {}, MFU {}, {}", with_gpus(row), figure(*cost.days, Unit::days),
                            figure(*cost.usd, Unit::usd), figure(row.plan->throughput->mfu, Unit::fraction),
                            short_layout(*row.layout)),
         .best = i == best});
  }
  return chart;
}

}  // namespace cli
