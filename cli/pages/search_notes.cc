// The page of an empty result goes on:
//
//     Nearest miss: tp 4, pp 2, microbatch 8, 12.3 % beyond a limit
//     memory           stage 0 needs 90.1 GiB of 80.0 GiB ...
//     cheapest change  parallelism.recompute=full: 12.34 s per step (+20.0 %), 1.2 MUSD (+20.0 %)
//
//     What refuses the candidates
//     rule   candidates  what it wants
//     where  24          scenario.yaml:7:8: 'tp > 8' does not hold, such as tp 4, pp 2
#include <fmt/format.h>

#include <cmath>

#include "cli/pages/search_report.h"
#include "cli/report/row_fields.h"
#include "planner/plan/fits.h"

namespace cli {
namespace {

using planner::NearestMiss;
using planner::Obstacle;
using planner::Sensitivity;

using Choices = std::vector<std::pair<std::string, dsl::Value>>;

std::string joined(const Choices& choices) {
  return text_list(choices,
                   [](const auto& choice) { return last_name(choice.first) + " " + dsl::to_text(choice.second); });
}

// ---- the nearest miss

Data fix_data(const NearestMiss& miss) {
  if (!miss.fix) return {};
  Data::Object sets;
  for (const auto& [path, value] : miss.fix->sets) sets.push_back({path, value});
  const planner::Plan& before = miss.plan;
  const planner::Plan& after = miss.fix->plan;
  std::optional<double> usd;
  if (before.cost->usd && after.cost->usd) usd = *after.cost->usd - *before.cost->usd;
  return Data::Object{{"set", std::move(sets)},
                      {"gpus", after.cost->gpus},
                      {"step_seconds", after.step->seconds},
                      {"more_step_seconds", after.step->seconds - before.step->seconds},
                      {"days", after.cost->days},
                      {"usd", after.cost->usd},
                      {"more_usd", usd}};
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
  return Data::Object{{"choices", choices_data(its)},
                      {"excess", std::isfinite(excess) ? Data(excess) : Data()},
                      {"violations", std::move(broken)},
                      {"overflow", overflow_data(miss.overflow)},
                      {"step_seconds", miss.plan.step->seconds},
                      {"days", miss.plan.cost->days},
                      {"usd", miss.plan.cost->usd},
                      {"change", fix_data(miss)}};
}

std::string more(double before, double after) { return fmt::format("{:+.1f} %", (after / before - 1) * 100); }

std::string fix_text(const NearestMiss& miss) {
  if (!miss.fix) return "no change of one setting makes it fit, and none of two";
  const std::string sets = text_list(
      miss.fix->sets, [](const auto& set) { return set.first + "=" + set.second; }, " ");
  const planner::Plan& before = miss.plan;
  const planner::Plan& after = miss.fix->plan;
  std::string line = fmt::format("{}: {} per step ({})", sets, figure(after.step->seconds, Unit::seconds),
                                 more(before.step->seconds, after.step->seconds));
  if (before.cost->usd && after.cost->usd)
    line += fmt::format(", {} ({})", figure(*after.cost->usd, Unit::usd), more(*before.cost->usd, *after.cost->usd));
  return line;
}

Table nearest_table(const NearestMiss& miss, double excess, const Choices& choices) {
  Table table = fact_table("Nearest miss" + (choices.empty() ? "" : ": " + joined(choices)));
  const char* of = miss.plan.violations.size() > 1 ? " beyond its limits in all" : " beyond a limit";
  if (std::isfinite(excess)) table.title += ", " + figure(excess, Unit::fraction) + of;
  for (const planner::Violation& v : miss.plan.violations) table.rows.push_back({v.rule, message_of(v, miss)});
  table.rows.push_back({"cheapest change", fix_text(miss)});
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
  if (!rows.empty()) report.text.emplace_back(fields.page("What the best plan depends on (per 1 % more of it)", rows));
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

}  // namespace cli
