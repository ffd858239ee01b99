#include "cli/pages/plan_basis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "cli/report/row_fields.h"
#include "planner/scaling/models.h"

namespace cli {
namespace {

using operator_models::FittedParameter;
using operator_models::Provenance;
using planner::FittedUse;
using planner::LoadedScenario;

// ---- assumptions

/// Fields of a machine from which no other field follows and which its catalogue entry always has.
constexpr std::array<std::string_view, 5> kMachineFields{"cluster.mtbf", "cluster.node_power",
                                                         "cluster.checkpoint.save", "cluster.checkpoint.detect",
                                                         "cluster.checkpoint.restart"};

/// Whether the job has a use for the field: Muon's fields have none beside another optimizer, a base's none without
/// adapters.
bool is_read(const std::string& path, const planner::Scenario& s) {
  if (path == "job.task") return !s.software.release.empty();  // by recipes alone
  if (path.starts_with("job.muon.")) return planner::row_of(s.job.optimizer).shards;
  return path != "job.lora.base" || s.job.lora.rank > 0;
}

bool is_shown(const std::string& path) {
  return path.starts_with("job.") || path.starts_with("parallelism.") ||
         std::find(kMachineFields.begin(), kMachineFields.end(), path) != kMachineFields.end();
}

// ---- provenance

constexpr double kWeakShare = 0.2;
constexpr double kLeastNamed = 0.01;
constexpr size_t kMostNamed = 3;

bool weak(Provenance p) { return p == Provenance::assumed || p == Provenance::extrapolated; }

/// "gemm on a100-sxm": fitted models are not part of an accelerator's calibration.
std::string place_of(const std::string& kind, const planner::Scenario& scenario) {
  const auto& singles = operator_models::kCollectiveKinds;
  const bool single = kind == "collective" && std::any_of(singles.begin(), singles.end(), [&](const char* name) {
                        return planner::fitted_of(scenario, name) != nullptr;
                      });
  if (single) return kind + ", some fitted,";
  return planner::fitted_of(scenario, kind) ? kind + ", fitted," : kind + " on " + scenario.calibration.name;
}

// ---- fitted models

/// "2 to 20", or "64" where both are the same.
std::string range_text(double least, double most) {
  const std::string from = four_digits(least);
  return least == most ? from : from + " to " + four_digits(most);
}

std::string measured_text(const FittedUse& use, const FittedParameter& p) {
  return use.model->points.empty() ? "nobody says where" : range_text(p.least, p.most);
}

/// "p 64 (measured 2 to 20), n 8 (measured 4 to 32)".
std::string asked_text(const FittedUse& use) {
  std::string text;
  for (size_t i = 0; i < use.asked.size(); ++i) {
    const FittedParameter& p = use.model->parameters[i];
    const std::string name = p.name == p.feature ? p.name : p.name + " = " + p.feature;
    text += fmt::format("{}{} {} (measured {})", i == 0 ? "" : ", ", name,
                        range_text(use.asked[i].least, use.asked[i].most), measured_text(use, p));
  }
  return text;
}

Data parameter_data(const FittedUse& use, size_t i) {
  const FittedParameter& p = use.model->parameters[i];
  const bool said = !use.model->points.empty();
  return Data::Object{{"name", p.name},
                      {"feature", p.feature},
                      {"measured_from", said ? Data(p.least) : Data()},
                      {"measured_to", said ? Data(p.most) : Data()},
                      {"asked_from", use.asked[i].least},
                      {"asked_to", use.asked[i].most}};
}

// ---- lengths

std::string percent(double share) { return fmt::format("{:.2g} %", 100 * share); }

/// The lengths that represent a run of several lengths, and their accuracy where they were found.
Data sequence_data(const planner::Lengths& l) {
  const RowFields<planner::LengthShare> points{{"length", &planner::LengthShare::length},
                                               {"weight", whole_of(&planner::LengthShare::weight)}};
  const bool found = l.steps > 0;
  return Data::Object{{"points", points.list(l.shares)},
                      {"unique_lengths", found ? Data(l.distinct) : Data()},
                      {"iterations", found ? Data(l.steps) : Data()},
                      {"left_over_sequences", found ? Data(l.left_over) : Data()},
                      {"error", found ? Data(l.error) : Data()},
                      {"padding", found ? Data(l.padding) : Data()}};
}

}  // namespace

std::string assumptions(const LoadedScenario& loaded) {
  std::string line;
  if (loaded.software_assumed) line = "Assumed, not written: software " + loaded.scenario.software.name;
  if (loaded.calibration_assumed)
    line += (line.empty() ? "Assumed, not written: " : ", ") + ("calibration " + loaded.scenario.calibration.name);
  for (const auto& [path, slot] : loaded.record.slots) {
    if (slot.given || slot.value.is_null() || !is_shown(path)) continue;
    if (!is_read(path, loaded.scenario)) continue;
    const std::string value = dsl::to_text(slot.value);
    if (value.empty() || value == "\"\"" || value == "[]") continue;
    line += (line.empty() ? "Assumed, not written: " : ", ") + path.substr(path.find('.') + 1) + " " + value;
  }
  const auto is_layout = [](const auto& item) { return item.second.given && item.first.starts_with("parallelism."); };
  if (std::none_of(loaded.record.slots.begin(), loaded.record.slots.end(), is_layout))
    line += std::string(line.empty() ? "No" : "; no") +
            " parallelism is written: --pick best takes the best that a search finds";
  if (!loaded.scenario.job.tokens)
    line += line.empty() ? "No job.tokens: the run's time and cost are unknown"
                         : "; no job.tokens: the run's time and cost are unknown";
  if (!hw_profiles::hourly_price(loaded.scenario.cluster))
    line += line.empty() ? "No cluster.price: its price is unknown" : "; no cluster.price: the run's price is unknown";
  return line;
}

ProvenanceShares provenance_shares(const planner::Plan& plan) {
  ProvenanceShares shares;
  for (const planner::SourceShare& s : plan.sources) shares[operator_models::name(s.provenance)] += s.share;
  return shares;
}

std::string to_text(const ProvenanceShares& shares) {
  std::string line;
  for (const char* name : operator_models::kProvenanceNames)
    if (auto at = shares.find(name); at != shares.end() && at->second > 0)
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", name, figure(at->second, Unit::fraction));
  return line;
}

void warn_of_assumed(const planner::Plan& plan, const planner::Scenario& scenario, dsl::Diagnostics& diagnostics) {
  double share = 0;
  size_t named = 0;
  std::string largest;
  for (const planner::SourceShare& s : plan.sources) {  // largest first
    if (!weak(s.provenance)) continue;
    share += s.share;
    if (s.share >= kLeastNamed && named++ < kMostNamed)
      largest += fmt::format("{}{} {} ({})", largest.empty() ? "" : ", ", place_of(s.kind, scenario),
                             operator_models::name(s.provenance), figure(s.share, Unit::fraction));
  }
  if (share > kWeakShare)
    diagnostics.warning({},
                        fmt::format("{} of the operators' time rests on assumed or extrapolated figures: {}",
                                    figure(share, Unit::fraction), largest),
                        "`trainplan ops SCENARIO --columns name,provenance,relative_error` names the operators");
}

void warn_of_kernel(const planner::LoadedScenario& loaded, dsl::Diagnostics& diagnostics) {
  const planner::Scenario& s = loaded.scenario;
  if (s.software.attention != "default" || !planner::is_of_catalogue(*loaded.record.find("software.attention"))) return;
  diagnostics.warning({},
                      fmt::format("software {} prefers an attention kernel that is not calibrated on {}: the "
                                  "accelerator's default is taken",
                                  s.software.name, s.cluster.gpu.name),
                      "--set software.attention=default says the same");
}

void warn_of_rate(const planner::Scenario& s, dsl::Diagnostics& diagnostics) {
  if (!planner::is_narrow(s.job.precision)) return;
  const auto &narrow = s.cluster.gpu.flops.at(s.job.precision),
             &wide = s.cluster.gpu.flops.at(hw_profiles::Precision::bf16);
  if (!narrow || !wide || narrow->value > wide->value) return;
  diagnostics.warning({}, fmt::format("{} has no units for {}: products take as long as in bf16", s.cluster.gpu.name,
                                      hw_profiles::name(s.job.precision)));
}

void warn_of_unlike(const std::vector<std::pair<std::string, double>>& assumed, dsl::Diagnostics& diagnostics) {
  const auto [least, most] = std::ranges::minmax_element(assumed, {}, &std::pair<std::string, double>::second);
  if (assumed.empty() || least->second > kMostAssumed || most->second <= kMostAssumed) return;
  diagnostics.warning({},
                      fmt::format("{} rests on assumed figures ({} of the operators' time), {} on measured ones ({}): "
                                  "what one gains over the other is as uncertain as the first",
                                  most->first, figure(most->second, Unit::fraction), least->first,
                                  figure(1 - least->second, Unit::fraction)),
                      "`trainplan calibrate --kit DIR` writes what measures a machine");
}

Data fitted_data(const planner::Plan& plan) {
  return list_of(plan.fitted, [](const FittedUse& use) {
    const auto parameter = [&](size_t i) { return parameter_data(use, i); };
    return Data::Object{{"kind", use.kind},
                        {"model", use.model->name},
                        {"callpath", use.model->callpath},
                        {"formula", use.model->formula()},
                        {"parameters", list_of(places(use.asked.size()), parameter)},
                        {"provenance", std::string(operator_models::name(use.provenance))},
                        {"relative_error", use.model->relative_error},
                        {"analytical_seconds", use.analytical_seconds}};
  });
}

Table fitted_table(const planner::Plan& plan) {
  Table table = fact_table("Models fitted to measurements");
  for (const FittedUse& use : plan.fitted) {
    table.rows.push_back({use.kind, use.model->formula()});
    table.rows.push_back({"", fmt::format("{}: {}", asked_text(use), operator_models::name(use.provenance))});
  }
  return table;
}

void warn_of_reach(const planner::Plan& plan, dsl::Diagnostics& diagnostics) {
  for (const FittedUse& use : plan.fitted)
    if (use.reach > planner::scaling::kReach)
      diagnostics.warning({},
                          fmt::format("the model of {} in {} is asked up to {} times beyond its points: {}", use.kind,
                                      use.model->file, four_digits(use.reach), asked_text(use)),
                          "`trainplan scale` shows where the formula stops making sense; measure nearer");
}

std::string lengths_line(const planner::Lengths& l) {
  const auto points = std::count_if(l.shares.begin(), l.shares.end(), [](const auto& s) { return s.weight > 0; });
  const auto many = [](int64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  if (l.steps == 0) return many(points, "point") + ", weighted";
  std::string line = fmt::format("{} for {} in {} (off by {})", many(points, "SeqPoint"), many(l.distinct, "length"),
                                 many(l.steps, "step"), percent(std::abs(l.error)));
  if (l.padding > 0) line += fmt::format(", {} of the tokens padding", percent(l.padding));
  if (l.left_over > 0) line += fmt::format(", {} left over", many(l.left_over, "sequence"));
  return line;
}

void add_lengths(const planner::Lengths& lengths, Data::Object& document) {
  if (!lengths.shares.empty()) document.push_back({"sequence", sequence_data(lengths)});
}

}  // namespace cli
