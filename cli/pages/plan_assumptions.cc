#include "cli/pages/plan_assumptions.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace cli {
namespace {

using planner::LoadedScenario;

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

}  // namespace cli
