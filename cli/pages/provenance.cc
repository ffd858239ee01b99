#include "cli/pages/provenance.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/report/figure.h"

namespace cli {
namespace {

using operator_models::Provenance;

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

}  // namespace

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

}  // namespace cli
