#include "cli/pages/comm_report.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/pages/plan_text.h"

namespace cli {
namespace {

using planner::Algorithm;
using planner::CommAnalysis;
using planner::CommFractions;
using planner::CommunicationRow;
using planner::Region;
using planner::Scenario;

std::string text(double x, Unit unit) { return figure(x, unit); }

Data layers(const Algorithm& a) {
  Data::List list;
  for (const planner::SlackRow& r : a.layers)
    list.push_back(Data::Object{{"name", r.name},
                                {"flops", r.flops},
                                {"overlapped_bytes", r.overlapped_bytes},
                                {"slack_flops_per_byte", r.slack_flops_per_byte()}});
  return list;
}

Data::Object algorithm(const Algorithm& a) {
  return {{"compute_flops", a.compute_flops},
          {"serialized_bytes", a.serialized_bytes},
          {"edge_flops_per_byte", a.edge_flops_per_byte},
          {"edge_order", a.edge_order},
          {"slack_order", a.slack_order},
          {"layers", layers(a)}};
}

std::vector<Column> communication_columns() {
  return {{.name = "name"},
          {.name = "class", .rank = 2},
          {.name = "kind", .rank = 6},
          {.name = "ranks", .unit = Unit::count, .rank = 4, .heading = "GPUs"},
          {.name = "tiers", .rank = 5},
          {.name = "bytes", .unit = Unit::bytes, .rank = 3, .heading = "per call"},
          {.name = "count", .unit = Unit::count, .heading = "calls"},
          {.name = "seconds", .unit = Unit::seconds, .rank = 1, .heading = "time"},
          {.name = "hidden_seconds", .unit = Unit::seconds, .heading = "hidden"},
          {.name = "exposed_seconds", .unit = Unit::seconds, .heading = "exposed"}};
}

Table communication(const CommAnalysis& a) {
  Table table{.title = "Communication, per step", .columns = communication_columns(), .note = false};
  for (const CommunicationRow& r : a.communication)
    table.rows.push_back({r.name, planner::name(r.purpose), r.kind, r.ranks, Data::List(r.tiers.begin(), r.tiers.end()),
                          r.bytes, whole(r.count), r.seconds, r.hidden_seconds, r.exposed_seconds});
  return table;
}

Table purposes(const CommAnalysis& a) {
  Table table{.title = "By parallelism and widest tier",
              .columns = {{.name = "class"},
                          {.name = "tier"},
                          {.name = "seconds", .unit = Unit::seconds, .rank = 2, .heading = "time"},
                          {.name = "serialized_seconds", .unit = Unit::seconds, .heading = "serialized"},
                          {.name = "hidden_seconds", .unit = Unit::seconds, .heading = "hidden"},
                          {.name = "exposed_seconds", .unit = Unit::seconds, .heading = "exposed"},
                          {.name = "share_of_step", .unit = Unit::fraction, .rank = 1, .heading = "of step"}}};
  for (const planner::PurposeRow& r : a.purposes)
    table.rows.push_back({planner::name(r.purpose), r.tier, r.seconds, r.serialized_seconds, r.hidden_seconds,
                          r.exposed_seconds, (r.serialized_seconds + r.exposed_seconds) / a.step_seconds});
  return table;
}

Table slack(const Algorithm& a) {
  Table table{.title = "Slack of one layer: backward GEMMs of a matrix over its gradient's bytes",
              .columns = {{.name = "name", .heading = "matrix"},
                          {.name = "flops", .unit = Unit::flops},
                          {.name = "overlapped_bytes", .unit = Unit::bytes, .heading = "gradient"},
                          {.name = "slack", .unit = Unit::flops_per_byte, .heading = "slack, FLOP/B"}}};
  for (const planner::SlackRow& r : a.layers)
    table.rows.push_back({r.name, r.flops, r.overlapped_bytes, r.slack_flops_per_byte()});
  return table;
}

std::string comm_headline(const Scenario& s) {
  return fmt::format("{}, {}", scenario_title(s), planner::main_degrees_text(s.parallelism));
}

Table facts() { return {.columns = {{.name = "figure"}, {.name = "value"}}, .header = false}; }

void add_counts(Table& table, const Algorithm& a) {
  table.rows.push_back(
      {"edge", a.edge_flops_per_byte
                   ? fmt::format("{} FLOP/B: {} in layers over {} that block them", four_digits(*a.edge_flops_per_byte),
                                 text(a.compute_flops, Unit::flops), text(a.serialized_bytes, Unit::bytes))
                   : "nothing blocks the layers"});
  table.rows.push_back({"scaling", fmt::format("edge as (H + SL) / TP = {}, slack as SL * B = {}",
                                               four_digits(a.edge_order), four_digits(a.slack_order))});
}

Table comm_summary(const CommAnalysis& a) {
  const CommFractions& f = a.fractions;
  const planner::TensorBase base;
  Table table = facts();
  add_counts(table, a.algorithm);
  table.rows.push_back({"serialized", fmt::format("{} of the passes' compute and itself, {} of the step",
                                                  text(f.serialized_fraction, Unit::fraction),
                                                  text(f.serialized_share_of_step, Unit::fraction))});
  table.rows.push_back(
      {"critical path", fmt::format("{} of the passes' compute and itself: serialized, and what sticks "
                                    "out of overlapped collectives that block",
                                    text(f.critical_path_fraction, Unit::fraction))});
  table.rows.push_back({"overlapped", f.overlapped_over_hiding_compute
                                          ? fmt::format("{} of the compute that may hide it, {} of the step",
                                                        text(*f.overlapped_over_hiding_compute, Unit::fraction),
                                                        text(f.overlapped_share_of_step, Unit::fraction))
                                          : "nothing may overlap"});
  table.rows.push_back({"exposed", fmt::format("{} of the step", text(f.exposed_fraction, Unit::fraction))});
  table.rows.push_back(
      {"tensor parallelism",
       fmt::format("{} by size ({} for {} parameters in {}), {}", four_digits(std::round(a.required_tp)),
                   four_digits(base.tp), figure(base.parameters, Unit::count), text(base.memory_bytes, Unit::memory),
                   a.fitting_tp ? fmt::format("{} by the plan's own memory", *a.fitting_tp)
                                : "no power of two that divides the heads fits by the plan's own memory")});
  return table;
}

Table region_rows(const Region& region) {
  Table table{.title = "One layer, one microbatch",
              .columns = {{.name = "name", .heading = "matrix"},
                          {.name = "compute_seconds", .unit = Unit::seconds, .heading = "backward GEMMs"},
                          {.name = "collective_bytes", .unit = Unit::bytes, .rank = 1, .heading = "gradient"},
                          {.name = "collective_seconds", .unit = Unit::seconds, .heading = "collective"},
                          {.name = "overlapped_over_hiding_compute", .unit = Unit::fraction, .heading = "ratio"}}};
  for (const planner::RegionRow& r : region.layers)
    table.rows.push_back({r.name, r.compute_seconds, r.collective_bytes, r.collective_seconds,
                          r.compute_seconds > 0 ? Data(r.collective_seconds / r.compute_seconds) : Data()});
  return table;
}

double ratio(double whole, double part) { return part > 0 ? whole / part : 0; }

std::string times(double x) { return four_digits(x) + "x"; }

}  // namespace

Report comm_report(const Scenario& s, const CommAnalysis& a) {
  const CommFractions& f = a.fractions;
  Report report{.format = "trainplan.comm/1", .document = algorithm(a.algorithm), .key = "", .table = {}, .text = {}};
  const Data::Object timed{{"serialized_fraction", f.serialized_fraction},
                           {"serialized_share_of_step", f.serialized_share_of_step},
                           {"critical_path_fraction", f.critical_path_fraction},
                           {"overlapped_over_hiding_compute", f.overlapped_over_hiding_compute},
                           {"overlapped_share_of_step", f.overlapped_share_of_step},
                           {"exposed_fraction", f.exposed_fraction},
                           {"step_seconds", a.step_seconds},
                           {"required_tp", whole(std::round(a.required_tp))},
                           {"fitting_tp", a.fitting_tp ? Data(*a.fitting_tp) : Data()},
                           {"classes", rows_of(purposes(a))},
                           {"communication", rows_of(communication(a))}};
  report.document.insert(report.document.end(), timed.begin(), timed.end());
  report.key = "communication";
  report.table = communication(a);
  report.text = {comm_headline(s) + ": " + text(a.step_seconds, Unit::seconds) + " per step", comm_summary(a)};
  if (!a.purposes.empty()) report.text.insert(report.text.end(), {purposes(a), communication(a)});
  if (!a.algorithm.layers.empty()) report.text.emplace_back(slack(a.algorithm));
  return report;
}

Report region_report(const Scenario& s, const Algorithm& a, const Region& r) {
  const Table rows = region_rows(r);
  Report report{.format = "trainplan.comm/1", .document = algorithm(a), .key = "roi.layers", .table = rows, .text = {}};
  report.document.push_back({"serialized_fraction", {}});  // of a whole step, which is not costed
  report.document.push_back({"critical_path_fraction", {}});
  report.document.push_back({"overlapped_over_hiding_compute", r.overlapped_over_hiding_compute});
  report.document.push_back({"overlapped_share_of_step", {}});
  report.document.push_back({"exposed_fraction", {}});
  report.document.push_back({"communication", Data::List{}});
  report.document.push_back({"roi", Data::Object{{"layers", rows_of(rows)},
                                                 {"operators", whole(r.operators)},
                                                 {"region_operators", whole(r.region_operators)},
                                                 {"operator_seconds", r.operator_seconds},
                                                 {"region_seconds", r.region_seconds},
                                                 {"gemm_flops", r.gemm_flops},
                                                 {"region_flops", r.region_flops},
                                                 {"saving", ratio(r.gemm_flops, r.region_flops)},
                                                 {"saving_operators", ratio(r.operators, r.region_operators)},
                                                 {"saving_seconds", ratio(r.operator_seconds, r.region_seconds)}}});
  Table table = facts();
  add_counts(table, a);
  table.rows.push_back(
      {"overlapped", r.overlapped_over_hiding_compute
                         ? text(*r.overlapped_over_hiding_compute, Unit::fraction) + " of the compute that may hide it"
                         : "nothing is reduced: dp is 1"});
  table.rows.push_back(
      {"saved", fmt::format("{} by the FLOP of GEMMs with weights: no forward pass; {} calls of {} in a step ({}), {} "
                            "of {} of predicted operator time ({})",
                            times(ratio(r.gemm_flops, r.region_flops)), four_digits(r.region_operators),
                            four_digits(r.operators), times(ratio(r.operators, r.region_operators)),
                            text(r.region_seconds, Unit::seconds), text(r.operator_seconds, Unit::seconds),
                            times(ratio(r.operator_seconds, r.region_seconds)))});
  report.text = {comm_headline(s) + ": region of interest of the overlapped communication", table, rows};
  return report;
}

}  // namespace cli
