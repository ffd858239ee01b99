// The page of an empty result goes on:
//
//     Nearest miss: tp 4, pp 2, microbatch 8, 12.3 % beyond a limit
//     memory           stage 0 needs 90.1 GiB of 80.0 GiB ...
//     cheapest change  parallelism.recompute=full: 12.34 s per step (+20.0 %), 1.2 MUSD (+20.0 %)
//
//     What refuses the candidates
//     rule   candidates  what it wants
//     where  24          scenario.yaml:7:8: 'tp > 8' does not hold, such as tp 4, pp 2
//
// The head of the page of --solve:
//
//     'mfu >= 0.45' holds for cluster.network[1].bandwidth from 12.345 GB/s up (25 GB/s in the scenario; 31 values
//     searched)
//
//     On both sides of it
//     value        holds  left side  step      MFU      run      cost
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/pages/candidate_rows.h"
#include "cli/pages/search_report.h"
#include "cli/report/row_fields.h"
#include "dsl/unit_sizes.h"
#include "planner/plan/fits.h"

namespace cli {
namespace {

using planner::NearestMiss;
using planner::Obstacle;
using planner::Sensitivity;
using planner::Solved;
using planner::Trial;

using Choices = std::vector<std::pair<std::string, dsl::Value>>;

std::string joined(const Choices& choices) {
  return text_list(choices,
                   [](const auto& choice) { return last_name(choice.first) + " " + dsl::to_text(choice.second); });
}

// ---- the nearest miss

Data remedy_data(const planner::FitRemedy& remedy, const planner::Plan& before) {
  const planner::Plan& after = remedy.plan;
  std::optional<double> usd;
  if (before.cost->usd && after.cost->usd) usd = *after.cost->usd - *before.cost->usd;
  return Data::Object{{"set", members_of(remedy.sets)},
                      {"gpus", after.cost->gpus},
                      {"step_seconds", after.step->seconds},
                      {"more_step_seconds", after.step->seconds - before.step->seconds},
                      {"days", after.cost->days},
                      {"usd", after.cost->usd},
                      {"more_usd", usd},
                      {"of", planner::kChangeKinds[static_cast<size_t>(remedy.kind)]},
                      {"fit_probability", after.memory->probability()}};
}

/// The changes that make it feasible: the cheapest of the mildest kind, and the others.
std::pair<Data, Data> remedies_data(const NearestMiss& miss) {
  Data::List all;
  if (miss.advice.keeps_limits)
    for (const planner::FitRemedy& remedy : miss.advice.remedies) all.push_back(remedy_data(remedy, miss.plan));
  if (all.empty()) return {Data(), Data::List{}};
  Data first = std::move(all.front());
  all.erase(all.begin());
  return {std::move(first), std::move(all)};
}

Data overflow_data(const std::optional<planner::Overflow>& overflow) {
  if (!overflow) return {};
  return Data::Object{{"stage", overflow->stage},
                      {"bytes", overflow->use.peak_bytes},
                      {"more_bytes", overflow->use.peak_bytes - overflow->use.usable_bytes},
                      {"component", overflow->component},
                      {"component_bytes", overflow->component_bytes}};
}

/// A memory that overflows says so without the change that would fit the memory alone.
std::string message_of(const planner::Violation& violation, const NearestMiss& miss) {
  return violation.rule == "memory" && miss.overflow ? miss.overflow->text() : violation.message;
}

Data nearest_data(const NearestMiss& miss, double excess, const Choices& its) {
  Data broken = list_of(miss.plan.violations, [&](const planner::Violation& v) {
    return Data::Object{{"rule", v.rule}, {"message", message_of(v, miss)}};
  });
  auto [change, others] = remedies_data(miss);
  return Data::Object{{"choices", choices_data(its)},
                      {"excess", std::isfinite(excess) ? Data(excess) : Data()},
                      {"violations", std::move(broken)},
                      {"overflow", overflow_data(miss.overflow)},
                      {"step_seconds", miss.plan.step->seconds},
                      {"days", miss.plan.cost->days},
                      {"usd", miss.plan.cost->usd},
                      {"change", std::move(change)},
                      {"other_changes", std::move(others)}};
}

std::string more(double before, double after) { return fmt::format("{:+.1f} %", (after / before - 1) * 100); }

std::string priced_text(const planner::FitRemedy& remedy, const planner::Plan& before) {
  const std::string sets = text_list(
      remedy.sets, [](const auto& set) { return set.first + "=" + set.second; }, " ");
  const planner::Plan& after = remedy.plan;
  std::string line = fmt::format("{}: {} per step ({})", sets, figure(after.step->seconds, Unit::seconds),
                                 more(before.step->seconds, after.step->seconds));
  if (before.cost->usd && after.cost->usd)
    line += fmt::format(", {} ({})", figure(*after.cost->usd, Unit::usd), more(*before.cost->usd, *after.cost->usd));
  return line + planner::doubt_text(remedy.plan);
}

/// The cheapest change, and the cheapest of each kind that is less mild.
void add_remedies(const NearestMiss& miss, Table& table) {
  const std::vector<planner::FitRemedy>& all = miss.advice.remedies;
  if (all.empty() || !miss.advice.keeps_limits)
    return table.rows.push_back({"cheapest change", planner::advice_text(miss.advice, miss.plan)});
  constexpr std::array kOthers{"", "with another job", "with other GPUs"};
  for (size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i].kind == all[i - 1].kind) continue;
    const char* name = i == 0 ? "cheapest change" : kOthers[static_cast<size_t>(all[i].kind)];
    table.rows.push_back({name, priced_text(all[i], miss.plan)});
  }
}

Table nearest_table(const NearestMiss& miss, double excess, const Choices& choices) {
  Table table = fact_table("Nearest miss" + (choices.empty() ? "" : ": " + joined(choices)));
  const char* of = miss.plan.violations.size() > 1 ? " beyond its limits in all" : " beyond a limit";
  if (std::isfinite(excess)) table.title += ", " + figure(excess, Unit::fraction) + of;
  for (const planner::Violation& v : miss.plan.violations) table.rows.push_back({v.rule, message_of(v, miss)});
  add_remedies(miss, table);
  return table;
}

// ---- obstacles

std::string obstacle_text(const Obstacle& o) {
  std::string line;
  if (o.place.source) line += fmt::format("{}:{}:{}: ", o.place.source->name, o.place.line, o.place.column);
  line += o.message;
  if (!o.example.empty()) line += ", such as " + joined(o.example);
  return line;
}

RowFields<Obstacle> obstacle_fields() {
  RowFields<Obstacle> fields{{"rule", &Obstacle::rule, Unit::text, ""},
                             {"candidates", &Obstacle::candidates, Unit::count, ""}};
  fields.add_all(place_fields(&Obstacle::place));
  fields.add(
      RowField<Obstacle>{"message", &Obstacle::message, Unit::text, "", 0, "what it wants"}.shown_as(obstacle_text));
  fields.add({"example", [](const Obstacle& o) { return choices_data(o.example); }});
  return fields;
}

// ---- sensitivities

/// Three decimals are readable, and distinguish no effect from a small effect.
template <class Of> RowField<Sensitivity> elasticity(const char* name, Of of, const char* heading) {
  const auto rounded = [of](const Sensitivity& s) {
    const std::optional<double> exact = std::invoke(of, s);
    return exact && std::isfinite(*exact) ? Data(fmt::format("{:+.3f}", *exact)) : Data(exact);
  };
  return RowField<Sensitivity>{name, of, Unit::number, heading}.shown_as(rounded, Unit::number);
}

RowFields<Sensitivity> sensitivity_fields() {
  return {{"field", &Sensitivity::field, Unit::text, ""},
          elasticity("step_elasticity", &Sensitivity::step_elasticity, "step, %"),
          elasticity("usd_elasticity", &Sensitivity::usd_elasticity, "cost, %"),
          {"headroom_fraction", &Sensitivity::headroom_fraction, Unit::fraction, "may shrink by"}};
}

// ---- other batches

/// "20.12 d, 811.9 kUSD", of a run without tokens its step.
std::string figures_of(const planner::Results& results) {
  std::string text =
      results.days ? figure(*results.days, Unit::days) : figure(results.step.seconds, Unit::seconds) + " per step";
  if (results.usd) text += ", " + figure(*results.usd, Unit::usd);
  return text;
}

std::string untried_line(const planner::NamedBatches& batches) {
  if (batches.tries == planner::TryBatches::on_all)
    return fmt::format("{} more numbers of GPUs without a plan were not tried", batches.untried);
  return fmt::format("{} of the numbers of GPUs {} no plan: --other-batches tries other batches there", batches.untried,
                     batches.untried == 1 ? "has" : "have");
}

const char* outcome(const Solved& solved) {
  if (solved.holds) return "found";
  return solved.at_start ? "always" : "never";
}

// ---- what --solve found

std::string side_text(const dsl::Number& x) {
  Unit unit = Unit::number;
  if (x.dim == dsl::kTime) unit = x.value < dsl::kDay ? Unit::seconds : Unit::days;
  if (x.dim == dsl::kData) unit = Unit::memory;
  if (x.dim == dsl::kMoney) unit = Unit::usd;
  return figure(unit == Unit::days ? x.value / dsl::kDay : x.value, unit);
}

Data chosen(const Trial& t) {
  Data::Object out;
  if (t.best)
    for (size_t i = 0; i < t.best->choices.size(); ++i) out.push_back({t.choices[i], value_data(t.best->choices[i])});
  return out;
}

const char* holds_text(const Trial& t) {
  if (!t.best) return t.layouts ? "infeasible" : "no layout";
  return t.holds ? "yes" : "no";
}

/// A side of the condition; a page has it in the unit that suits it.
RowField<Trial> side_field(const char* name, std::optional<dsl::Number> Trial::*of, const char* heading, int rank) {
  const auto number = if_any(of, [](const dsl::Number& x) { return whole(x.value); });
  return RowField<Trial>{name, number, Unit::text, heading, rank}.shown_as(if_any(of, side_text));
}

std::optional<planner::Results> results(const Trial& t) {
  return t.best ? std::optional(t.best->results) : std::nullopt;
}

RowFields<Trial> trial_fields() {
  return {{"value", whole_of(&Trial::value)},
          {"text", &Trial::text, Unit::text, "", 0, "value"},
          RowField<Trial>{"holds", &Trial::holds, Unit::text, ""}.shown_as(holds_text),
          side_field("left", &Trial::left, "left side", 1),
          side_field("right", &Trial::right, "right side", 4),
          {"layouts", &Trial::layouts},
          {"feasible", [](const Trial& t) { return t.best.has_value(); }},
          {"choices", chosen},
          figure_field<Trial>("step_seconds", results, "", 0, "step"),
          figure_field<Trial>("mfu", results, "", 2, "MFU"),
          figure_field<Trial>("days", results, "", 3, "run"),
          figure_field<Trial>("usd", results, "", 2, "cost")};
}

Data side(const Solved& solved, const std::optional<size_t>& at) {
  return at ? Data(trial_fields().object(solved.trials[*at])) : Data();
}

Data solved_data(const SolvePath& path, const dsl::Expression& until, const Solved& solved) {
  const Trial* found = solved.holds ? &solved.trials[*solved.holds] : nullptr;
  return Data::Object{{"field", path.path},
                      {"until", until.text},
                      {"outcome", outcome(solved)},
                      {"value", found ? whole(found->value) : Data()},
                      {"text", found ? Data(found->text) : Data()},
                      {"start", whole(path.range.start)},
                      {"holds", side(solved, solved.holds)},
                      {"fails", side(solved, solved.fails)},
                      {"evaluations", static_cast<int64_t>(solved.trials.size())},
                      {"exceptions", list_of(solved.exceptions, [&](size_t i) { return solved.trials[i].text; })},
                      {"trials", trial_fields().list(solved.trials)}};
}

std::string start_text(const SolvePath& path) {
  const dsl::Dim dim = path.field->type == dsl::Type::quantity ? path.field->dim : dsl::kNone;
  return dsl::to_text({dsl::Number{path.range.start, dim}});
}

std::string solve_headline(const SolvePath& path, const dsl::Expression& until, const Solved& solved) {
  const std::string tried =
      fmt::format("({} in the scenario; {} values searched)", start_text(path), solved.trials.size());
  const auto& all = solved.trials;
  if (!solved.holds)
    return fmt::format("'{}' {} from {} {} to {} {}", until.text,
                       solved.at_start ? "holds at every value that was tried," : "holds at no value that was tried,",
                       path.path, all.front().text, all.back().text, tried);
  const bool up = *solved.holds > *solved.fails;
  return fmt::format("'{}' holds for {} {} and {} {}", until.text, path.path, all[*solved.holds].text,
                     up ? "above" : "below", tried);
}

Table sides_table(const Solved& solved, const std::string& title, const std::vector<size_t>& rows) {
  std::vector<Trial> trials;
  for (const size_t i : rows) trials.push_back(solved.trials[i]);
  return trial_fields().page(title, trials);
}

/// The smallest and the largest value at which anything was feasible: what the condition tends to.
std::vector<size_t> ends(const Solved& solved) {
  std::vector<size_t> out;
  for (size_t i = 0; i < solved.trials.size(); ++i) {
    if (!solved.trials[i].best) continue;
    if (out.size() < 2) out.push_back(i);
    else out.back() = i;
  }
  return out;
}

}  // namespace

void add_nearest(const std::optional<Nearest>& found, const std::vector<Obstacle>& obstacles, Report& report) {
  Data nearest;
  if (found) {
    nearest = nearest_data(found->miss, found->excess, found->choices);
    report.text.emplace_back(nearest_table(found->miss, found->excess, found->choices));
  }
  const RowFields<Obstacle> fields = obstacle_fields();
  if (!obstacles.empty()) report.text.emplace_back(fields.page("What refuses the candidates", obstacles));
  report.document.push_back({"nearest", std::move(nearest)});
  report.document.push_back({"obstacles", fields.list(obstacles)});
}

void add_sensitivity(const std::vector<Sensitivity>& rows, Report& report) {
  const RowFields<Sensitivity> fields = sensitivity_fields();
  report.document.push_back({"sensitivity", fields.list(rows)});
  if (!rows.empty()) report.basis.emplace_back(fields.page("What the best plan depends on (per 1 % more of it)", rows));
}

std::string sets_text(const std::vector<dsl::Override>& uses) {
  return text_list(
      uses, [](const dsl::Override& use) { return "--set " + use.text; }, " ");
}

void add_other_batches(const planner::NamedBatches& batches, Report& report) {
  if (batches.found.empty() && batches.untried == 0) return;
  Data::List list;
  for (const planner::NamedBatch& named : batches.found) {
    const planner::OtherBatch& other = named.other;
    const std::string& name = named.entries.name;
    const std::string who = name.empty() ? "" : name + ", ";
    const std::string uses = sets_text(named.entries.uses);
    report.text.emplace_back(
        fmt::format("{}{} GPUs: no layout divides the batch; with batch {}: {} ({}{}--set cluster.gpus={} --set "
                    "job.global_batch={})",
                    who, other.gpus, other.batch, figures_of(other.results), uses, uses.empty() ? "" : " ", other.gpus,
                    other.batch));
    Data::Object object{
        {"gpus", other.gpus},       {"global_batch", other.batch}, {"step_seconds", other.results.step.seconds},
        {"mfu", other.results.mfu}, {"days", other.results.days},  {"usd", other.results.usd}};
    if (!name.empty()) object.insert(object.begin(), {"entries", name});
    list.emplace_back(std::move(object));
  }
  if (batches.untried > 0) report.text.emplace_back(untried_line(batches));
  report.document.push_back({"other_batches", std::move(list)});
  report.document.push_back({"other_batches_untried", batches.untried});
}

void add_solved(const SolvePath& path, const dsl::Expression& until, const Solved& solved, Report& report) {
  report.document.push_back({"solve", solved_data(path, until, solved)});
  std::vector<Block> head{solve_headline(path, until, solved)};
  if (solved.holds)
    head.emplace_back(sides_table(solved, "On both sides of it",
                                  {std::min(*solved.holds, *solved.fails), std::max(*solved.holds, *solved.fails)}));
  else if (const std::vector<size_t> rows = ends(solved); !rows.empty())
    head.emplace_back(sides_table(solved, "What it comes to at the ends", rows));
  else head.emplace_back("nothing is feasible at any of them");
  report.text.insert(report.text.begin(), head.begin(), head.end());
}

}  // namespace cli
