// The page:
//
//     llama3-70b: 512 x mi300x-oam 21.36 d, 485.9 kUSD; 256 x dgx-b200 22.87 d, 701.1 kUSD
//
//     2 machines: 6 rows, 12 configurations costed, 6 with a plan that fits
//
//     cluster   GPUs  run      cost         step  MFU  memory  energy  assumed  meets  layout
//     dgx-h100  256   42.88 d  787.9 kUSD   ...
//
//     best for the goal: dgx-h100 with 512 GPUs
#include "cli/pages/machines_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "cli/pages/candidate_rows.h"
#include "cli/pages/plan_report.h"
#include "cli/pages/run_figures.h"
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
  if (row.lacks_price) return "has no price";
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

std::string shown_name(const MachineRow& row) { return (row.is_run ? "the run: " : "") + row.name; }

RowFields<MachineRow> machine_fields() {
  const auto figure = [](const char* name, const char* heading, int rank = 0) {
    return figure_field<MachineRow>(name, results, heading, rank);
  };
  return {RowField<MachineRow>{"cluster", &MachineRow::name, Unit::text, ""}.shown_as(shown_name),
          {"run", &MachineRow::is_run},
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
          {"contract", [](const MachineRow& r) { return text_or_null(r.price_terms.contract); }, Unit::text, "", 8},
          {"price_date", [](const MachineRow& r) { return text_or_null(r.price_terms.date); }, Unit::text, "of", 8},
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

Table page_table(const std::string& title, const std::vector<MachineRow>& rows) {
  RowFields<MachineRow> fields = machine_fields();
  const std::vector<std::string> written = written_choices(rows);
  for (const std::string& name : written)
    fields.add({name.c_str(), [&](const MachineRow& row) { return chosen(row, name); }, Unit::text, last_name(name)});
  if (std::ranges::any_of(rows, [](auto& r) { return r.meets_deadline || r.meets_budget || r.lacks_price; }))
    fields.add({"meets", meets_text, Unit::text, ""});
  fields.add({"layout", layout_cell, Unit::text, "", 1});
  Table table = fields.page(title, rows);
  for (size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].plan) set_tone(table, i, RowTone::bad);
  if (const auto best = planner::best_machine(rows)) set_tone(table, *best, RowTone::best);
  return table;
}

std::string with_gpus(const MachineRow& row) {
  return fmt::format("{} with {} GPU{}", shown_name(row), row.gpus, row.gpus == 1 ? "" : "s");
}

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

/// "prices of several kinds: on-demand of dgx-h100, list of mi300x-oam", or "".
std::string kinds_line(const std::vector<MachineRow>& rows) {
  std::map<std::string, std::set<std::string>> machines;
  for (const MachineRow& row : rows)
    if (row.price_usd_per_gpu_hour && !row.price_terms.contract.empty())
      machines[row.price_terms.contract].insert(row.name);
  if (machines.size() < 2) return "";
  return "prices of several kinds: " +
         text_list(
             machines, [](const auto& kind) { return kind.first + " of " + text_list(kind.second, std::identity()); },
             "; ");
}

/// "may not fit (probability that it does): g6 with 1 GPU 53.0 %", or "".
std::string uncertain_line(const std::vector<MachineRow>& rows) {
  std::string line;
  for (const MachineRow& row : rows)
    if (row.plan && row.plan->memory->verdict() == planner::FitVerdict::uncertain)
      line += fmt::format("{}{} {}", line.empty() ? "may not fit (probability that it does): " : ", ", with_gpus(row),
                          figure(row.plan->memory->probability(), Unit::fraction));
  return line;
}

/// The best row, what prices are, and the machines without one.
std::vector<std::string> notes(const std::vector<MachineRow>& rows) {
  std::vector<std::string> lines;
  const std::optional<size_t> best = planner::best_machine(rows);
  const std::optional<size_t> nearest = planner::nearest_machine(rows);
  if (best) lines.push_back("best for the goal: " + with_gpus(rows[*best]));
  else if (std::ranges::any_of(rows, &MachineRow::is_met)) lines.emplace_back("the goal has no value in any row");
  else if (nearest)
    lines.push_back("no row meets deadline and budget; nearest: " + with_gpus(rows[*nearest]) +
                    miss_text(rows[*nearest].miss));
  if (std::string line = uncertain_line(rows); !line.empty()) lines.push_back(std::move(line));
  if (std::string kinds = kinds_line(rows); !kinds.empty()) lines.push_back(std::move(kinds));
  std::string unpriced;
  for (const MachineRow& row : rows)
    if (row.plan && !row.price_usd_per_gpu_hour && unpriced.find(row.name) == std::string::npos)
      unpriced += (unpriced.empty() ? "" : ", ") + row.name;
  if (!unpriced.empty())
    lines.push_back("no price is known of " + unpriced +
                    ": give one by --prices FILE or --set 'cluster.price=2 USD/h'");
  return lines;
}

/// Whether a row is better for the goal: one that meets it, then one that misses it by less, then by the objective.
bool is_better(const MachineRow& a, const MachineRow& b) {
  const auto key = [](const MachineRow& r) { return std::tuple(!r.is_met(), r.miss.shares, r.objective); };
  return key(a) < key(b);
}

/// The best row of each machine, best first; machines without a plan have none.
std::vector<const MachineRow*> best_of_each(const std::vector<MachineRow>& rows) {
  std::vector<const MachineRow*> best;
  for (const MachineRow& row : rows) {
    if (!row.plan) continue;
    const auto same =
        std::ranges::find_if(best, [&](const MachineRow* r) { return r->name == row.name && r->is_run == row.is_run; });
    if (same == best.end()) best.push_back(&row);
    else if (is_better(row, **same)) *same = &row;
  }
  std::ranges::stable_sort(best, [](const MachineRow* a, const MachineRow* b) { return is_better(*a, *b); });
  return best;
}

std::vector<MachineRow> copies(const std::vector<const MachineRow*>& rows) {
  std::vector<MachineRow> all;
  for (const MachineRow* row : rows) all.push_back(*row);
  return all;
}

constexpr size_t kInTitle = 3;  // machines

/// "llama3-70b: 512 x mi300x-oam 21.36 d, 485.9 kUSD; 256 x dgx-b200 22.87 d, 701.1 kUSD".
std::string machines_headline(const std::string& model, const std::vector<const MachineRow*>& best) {
  if (best.empty()) return model + ": no machine has a plan that fits";
  std::string line = model + ": ";
  for (size_t i = 0; i < std::min(best.size(), kInTitle); ++i)
    line += fmt::format("{}{} x {} {}", i ? "; " : "", best[i]->gpus, best[i]->name, run_text(*results(*best[i])));
  return best.size() > kInTitle ? fmt::format("{}; and {} more", line, best.size() - kInTitle) : line;
}

std::string counts_line(const MachinesHead& head, const std::vector<MachineRow>& rows) {
  const auto planned = std::ranges::count_if(rows, [](const MachineRow& r) { return r.plan.has_value(); });
  int64_t costed = 0;
  std::set<std::string> machines;
  for (const MachineRow& row : rows) costed += row.evaluated, machines.insert(row.name);
  std::string line = fmt::format("{} machine{}: {} row{}, {} configurations costed, {} with a plan that fits",
                                 machines.size(), machines.size() == 1 ? "" : "s", rows.size(),
                                 rows.size() == 1 ? "" : "s", figure(costed, Unit::count), planned);
  if (!head.layout.empty()) line += fmt::format("; all have the scenario's {} (--from RUN frees it)", head.layout);
  return line;
}

}  // namespace

Report machines_report(const MachinesHead& head, const std::vector<MachineRow>& rows) {
  const std::optional<size_t> best = planner::best_machine(rows);
  const std::vector<const MachineRow*> each = best_of_each(rows);
  Report report{.format = "trainplan.clusters/1",
                .document = {{"rows", Data::List{}}, {"best", field_data(best)}},
                .key = "rows",
                .table = with_other_figures(machine_fields(), results).table(rows),
                .text = {machines_headline(head.model, each), counts_line(head, rows)}};
  if (!each.empty()) {
    report.key_figures = run_key_figures(*results(*each.front()));
    report.key_figures.front().name += fmt::format(" on {} x {}", each.front()->gpus, each.front()->name);
  }
  const bool several = each.size() < rows.size();
  if (several) {
    Table first = page_table("Best of each machine", copies(each));
    first.note = false;  // the next one has it
    report.text.emplace_back(std::move(first));
  }
  report.text.emplace_back(page_table(several ? "Every row" : "", rows));
  for (std::string& line : mistakes(rows)) report.text.emplace_back(std::move(line));
  for (std::string& line : notes(rows)) report.text.emplace_back(std::move(line));
  planner::NamedBatches others;
  for (const MachineRow& row : rows)
    if (row.other_batch) others.found.push_back({{row.uses, row.name}, *row.other_batch});
  add_other_batches(others, report);
  return report;
}

svg::Front machines_picture(const MachinesHead& head, const std::vector<MachineRow>& rows) {
  const std::optional<size_t> best = planner::best_machine(rows);
  svg::Front chart{.title = head.model + ": the run on each machine",
                   .subtitle = "the best layout of each machine and number of GPUs",
                   .x = {.title = "run, days"},
                   .y = {.title = "cost of the run, USD"},
                   .nothing = "no machine has both a plan that fits and a price"};
  add_limit(figure_named("days"), head.goal, chart.x);
  add_limit(figure_named("usd"), head.goal, chart.y);
  for (size_t i = 0; i < rows.size(); ++i) {
    const MachineRow& row = rows[i];
    if (!row.plan || !row.plan->cost->days || !row.plan->cost->usd) continue;
    const planner::RunCost& cost = *row.plan->cost;
    chart.points.push_back(
        {.x = *cost.days,
         .y = *cost.usd,
         .label = fmt::format("{}, {}", shown_name(row), row.gpus),
         .tip = fmt::format("{}: {}, {}, MFU {}, {}", with_gpus(row), figure(*cost.days, Unit::days),
                            figure(*cost.usd, Unit::usd), figure(row.plan->throughput->mfu, Unit::fraction),
                            short_layout(*row.layout)),
         .best = i == best,
         .series = shown_name(row),
         .along = days_span(*results(row))});
  }
  return chart;
}

}  // namespace cli
