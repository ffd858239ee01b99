#include <fmt/format.h>

#include <cmath>

#include "cli/pages/plan_report.h"
#include "cli/pages/study_pages.h"
#include "cli/report/facts.h"
#include "cli/report/row_fields.h"
#include "planner/plan/comm.h"
#include "planner/studies/comm/region.h"

namespace cli {
namespace {

using planner::Algorithm;
using planner::CommAnalysis;
using planner::CommFractions;
using planner::CommunicationRow;
using planner::PurposeRow;
using planner::Region;
using planner::RegionRow;
using planner::Scenario;
using planner::SlackRow;

RowFields<SlackRow> slack_fields() {
  return {{"name", &SlackRow::name, Unit::text, "matrix"},
          {"flops", &SlackRow::flops, Unit::flops, ""},
          {"overlapped_bytes", &SlackRow::overlapped_bytes, Unit::bytes, "gradient"},
          {"slack_flops_per_byte", &SlackRow::slack_flops_per_byte, Unit::flops_per_byte, "slack, FLOP/B", 0, "slack"}};
}

RowFields<CommunicationRow> communication_fields() {
  return {{"name", &CommunicationRow::name},
          {"class", [](const CommunicationRow& r) { return planner::name(r.purpose); }, Unit::text, "", 2},
          {"kind", &CommunicationRow::kind, Unit::text, "", 6},
          {"ranks", &CommunicationRow::ranks, Unit::count, "GPUs", 4},
          {"tiers", &CommunicationRow::tiers, Unit::text, "", 5},
          {"bytes", &CommunicationRow::bytes, Unit::bytes, "per call", 3},
          {"count", whole_of(&CommunicationRow::count), Unit::count, "calls"},
          {"seconds", &CommunicationRow::seconds, Unit::seconds, "time", 1},
          {"hidden_seconds", &CommunicationRow::hidden_seconds, Unit::seconds, "hidden"},
          {"exposed_seconds", &CommunicationRow::exposed_seconds, Unit::seconds, "exposed"}};
}

RowFields<PurposeRow> purpose_fields(double step) {
  const auto share = [step](const PurposeRow& r) { return (r.serialized_seconds + r.exposed_seconds) / step; };
  return {{"class", [](const PurposeRow& r) { return planner::name(r.purpose); }},
          {"tier", &PurposeRow::tier},
          {"seconds", &PurposeRow::seconds, Unit::seconds, "time", 2},
          {"serialized_seconds", &PurposeRow::serialized_seconds, Unit::seconds, "serialized"},
          {"hidden_seconds", &PurposeRow::hidden_seconds, Unit::seconds, "hidden"},
          {"exposed_seconds", &PurposeRow::exposed_seconds, Unit::seconds, "exposed"},
          {"share_of_step", share, Unit::fraction, "of step", 1}};
}

RowFields<RegionRow> region_fields() {
  const auto ratio = [](const RegionRow& r) {
    return r.compute_seconds > 0 ? Data(r.collective_seconds / r.compute_seconds) : Data();
  };
  return {{"name", &RegionRow::name, Unit::text, "matrix"},
          {"compute_seconds", &RegionRow::compute_seconds, Unit::seconds, "backward GEMMs"},
          {"collective_bytes", &RegionRow::collective_bytes, Unit::bytes, "gradient", 1},
          {"collective_seconds", &RegionRow::collective_seconds, Unit::seconds, "collective"},
          {"overlapped_over_hiding_compute", ratio, Unit::fraction, "ratio"}};
}

Data::Object algorithm(const Algorithm& a) {
  return {{"compute_flops", a.compute_flops},
          {"serialized_bytes", a.serialized_bytes},
          {"edge_flops_per_byte", a.edge_flops_per_byte},
          {"edge_order", a.edge_order},
          {"slack_order", a.slack_order},
          {"layers", slack_fields().list(a.layers)}};
}

std::string comm_headline(const Scenario& s) {
  return fmt::format("{}, {}", scenario_title(s), planner::main_degrees_text(s.parallelism));
}

std::string share(double x) { return figure(x, Unit::fraction); }

Table count_facts(const Algorithm& a) {
  Table facts = fact_table();
  if (a.edge_flops_per_byte)
    add_fact(facts, "edge",
             fmt::format("{} FLOP/B: {} in layers over {} that block them", four_digits(*a.edge_flops_per_byte),
                         figure(a.compute_flops, Unit::flops), figure(a.serialized_bytes, Unit::bytes)));
  else add_fact(facts, "edge", "nothing blocks the layers");
  add_fact(facts, "scaling",
           fmt::format("edge as (H + SL) / TP = {}, slack as SL * B = {}", four_digits(a.edge_order),
                       four_digits(a.slack_order)));
  return facts;
}

Table comm_summary(const CommAnalysis& a) {
  const CommFractions& f = a.fractions;
  const planner::TensorBase base;
  Table facts = count_facts(a.algorithm);
  add_fact(facts, "serialized",
           fmt::format("{} of the passes' compute and itself, {} of the step", share(f.serialized_fraction),
                       share(f.serialized_share_of_step)));
  add_fact(
      facts, "critical path",
      fmt::format(
          "{} of the passes' compute and itself: serialized, and what sticks out of overlapped collectives that block",
          share(f.critical_path_fraction)));
  if (f.overlapped_over_hiding_compute)
    add_fact(facts, "overlapped",
             fmt::format("{} of the compute that may hide it, {} of the step", share(*f.overlapped_over_hiding_compute),
                         share(f.overlapped_share_of_step)));
  else add_fact(facts, "overlapped", "nothing may overlap");
  add_fact(facts, "exposed", fmt::format("{} of the step", share(f.exposed_fraction)));
  add_fact(
      facts, "tensor parallelism",
      fmt::format("{} by size ({} for {} parameters in {}), {}", four_digits(std::round(a.required_tp)),
                  four_digits(base.tp), figure(base.parameters, Unit::count), figure(base.memory_bytes, Unit::memory),
                  a.fitting_tp ? fmt::format("{} by the plan's own memory", *a.fitting_tp)
                               : "no power of two that divides the heads fits by the plan's own memory"));
  return facts;
}

double ratio(double whole, double part) { return part > 0 ? whole / part : 0; }

}  // namespace

Report comm_report(const Scenario& s, const CommAnalysis& a) {
  const CommFractions& f = a.fractions;
  Table communication = communication_fields().table(a.communication, "Communication, per step");
  communication.note = false;
  const Table purposes = purpose_fields(a.step_seconds).table(a.purposes, "By parallelism and widest tier");
  Report report{
      .format = "trainplan.comm/1",
      .document = joined(algorithm(a.algorithm), {{"serialized_fraction", f.serialized_fraction},
                                                  {"serialized_share_of_step", f.serialized_share_of_step},
                                                  {"critical_path_fraction", f.critical_path_fraction},
                                                  {"overlapped_over_hiding_compute", f.overlapped_over_hiding_compute},
                                                  {"overlapped_share_of_step", f.overlapped_share_of_step},
                                                  {"exposed_fraction", f.exposed_fraction},
                                                  {"step_seconds", a.step_seconds},
                                                  {"required_tp", whole(std::round(a.required_tp))},
                                                  {"fitting_tp", field_data(a.fitting_tp)},
                                                  {"classes", rows_of(purposes)},
                                                  {"communication", {}}}),
      .key = "communication",
      .table = communication};
  report.text = {comm_headline(s) + ": " + figure(a.step_seconds, Unit::seconds) + " per step", comm_summary(a)};
  if (!a.purposes.empty()) report.text.insert(report.text.end(), {purposes, communication});
  if (const std::vector<SlackRow>& layers = a.algorithm.layers; !layers.empty())
    report.text.emplace_back(
        slack_fields().page("Slack of one layer: backward GEMMs of a matrix over its gradient's bytes", layers));
  return report;
}

Report region_report(const Scenario& s, const Algorithm& a, const Region& r) {
  const Table rows = region_fields().table(r.layers, "One layer, one microbatch");
  const Data::Object region{{"layers", rows_of(rows)},
                            {"operators", whole(r.operators)},
                            {"region_operators", whole(r.region_operators)},
                            {"operator_seconds", r.operator_seconds},
                            {"region_seconds", r.region_seconds},
                            {"gemm_flops", r.gemm_flops},
                            {"region_flops", r.region_flops},
                            {"saving", ratio(r.gemm_flops, r.region_flops)},
                            {"saving_operators", ratio(r.operators, r.region_operators)},
                            {"saving_seconds", ratio(r.operator_seconds, r.region_seconds)}};
  Report report{.format = "trainplan.comm/1",
                .document = joined(algorithm(a), {{"serialized_fraction", {}},  // of a whole step, which is not costed
                                                  {"critical_path_fraction", {}},
                                                  {"overlapped_over_hiding_compute", r.overlapped_over_hiding_compute},
                                                  {"overlapped_share_of_step", {}},
                                                  {"exposed_fraction", {}},
                                                  {"communication", Data::List{}},
                                                  {"roi", region}}),
                .key = "roi.layers",
                .table = rows};
  Table facts = count_facts(a);
  if (r.overlapped_over_hiding_compute)
    add_fact(facts, "overlapped",
             fmt::format("{} of the compute that may hide it", share(*r.overlapped_over_hiding_compute)));
  else add_fact(facts, "overlapped", "nothing is reduced: dp is 1");
  add_fact(
      facts, "saved",
      fmt::format("{} by the FLOP of GEMMs with weights: no forward pass; {} calls of {} in a step ({}), {} of {} of "
                  "predicted operator time ({})",
                  times(ratio(r.gemm_flops, r.region_flops)), four_digits(r.region_operators), four_digits(r.operators),
                  times(ratio(r.operators, r.region_operators)), figure(r.region_seconds, Unit::seconds),
                  figure(r.operator_seconds, Unit::seconds), times(ratio(r.operator_seconds, r.region_seconds))));
  report.text = {comm_headline(s) + ": region of interest of the overlapped communication", facts, rows};
  return report;
}

}  // namespace cli
