#include "planner/plan/fits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "dsl/unit_sizes.h"

namespace planner {
namespace {

double gib(double bytes) { return bytes / dsl::kGiB; }

std::pair<const char*, double> largest_component(const StageMemory& m) {
  const std::array<std::pair<const char*, double>, 5> parts{{{"weights", m.weights},
                                                             {"gradients", m.gradients},
                                                             {"optimizer states", m.optimizer},
                                                             {"activations", m.activations},
                                                             {"temporary buffers", m.temporary}}};
  return *std::max_element(parts.begin(), parts.end(), [](auto& a, auto& b) { return a.second < b.second; });
}

std::string need_text(const MemoryUse& use) {
  std::string line = fmt::format("needs {:.1f} of {:.1f} GiB", gib(use.peak_bytes), gib(use.capacity_bytes));
  if (use.peak_bytes > use.capacity_bytes)
    line += fmt::format(", {:.1f} GiB too much", gib(use.peak_bytes - use.capacity_bytes));
  return line + fmt::format("; fits with a probability of {:.0f} %", use.probability() * 100);
}

Overflow fullest_stage(const Memory& memory) {
  const auto worst = std::max_element(memory.stages.begin(), memory.stages.end(),
                                      [](const StageMemory& a, const StageMemory& b) { return a.total() < b.total(); });
  const auto [component, bytes] = largest_component(*worst);
  return {worst->stage, memory.device, component, bytes};
}

std::string host_text(const MemoryUse& host) {
  return "the host memory of a node " + need_text(host) + "; offload smaller shares, or divide them among more nodes";
}

}  // namespace

std::optional<Overflow> overflow_of(const Memory& memory) {
  if (!memory.device.overflows()) return std::nullopt;
  return fullest_stage(memory);
}

std::string Overflow::text() const {
  return fmt::format("stage {} {}; most of it {} ({:.1f} GiB)", stage, need_text(use), component, gib(component_bytes));
}

std::vector<Violation> memory_told(const Memory& memory, FitVerdict verdict) {
  std::vector<Violation> told;
  if (verdict_of(memory.device.probability()) == verdict) told.push_back({kMemoryRule, fullest_stage(memory).text()});
  if (verdict_of(memory.host.probability()) == verdict) told.push_back({kHostMemoryRule, host_text(memory.host)});
  return told;
}

}  // namespace planner
