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

bool host_fits(const Memory& memory) { return memory.host_bytes <= memory.host_capacity_bytes; }

Violation host_overflow(const Memory& memory) {
  return {"host-memory",
          fmt::format("the ranks of a node keep {:.1f} GiB in host memory of {:.1f} GiB, {:.1f} GiB too much; offload "
                      "smaller shares, or divide them among more nodes",
                      gib(memory.host_bytes), gib(memory.host_capacity_bytes),
                      gib(memory.host_bytes - memory.host_capacity_bytes))};
}

}  // namespace

static Overflow fullest_stage(const Memory& memory) {
  const auto worst = std::max_element(memory.stages.begin(), memory.stages.end(),
                                      [](const StageMemory& a, const StageMemory& b) { return a.total() < b.total(); });
  const auto [component, bytes] = largest_component(*worst);
  return {worst->stage, worst->total(), memory.usable_bytes, memory.capacity_bytes, memory.probability(),
          component,    bytes};
}

std::optional<Overflow> overflow_of(const Memory& memory) {
  if (memory.peak_bytes <= memory.usable_bytes) return std::nullopt;
  return fullest_stage(memory);
}

bool fits(const Memory& memory) { return !overflow_of(memory) && host_fits(memory); }

std::string Overflow::text() const {
  std::string line = fmt::format("stage {} needs {:.1f} of {:.1f} GiB", stage, gib(bytes), gib(capacity_bytes));
  if (bytes > capacity_bytes) line += fmt::format(", {:.1f} GiB too much", gib(bytes - capacity_bytes));
  return line + fmt::format("; fits with a probability of {:.0f} %; most of it {} ({:.1f} GiB)", probability * 100,
                            component, gib(component_bytes));
}

std::optional<std::string> uncertain_fit(const Memory& memory) {
  if (memory.verdict() != FitVerdict::uncertain) return std::nullopt;
  return fullest_stage(memory).text();
}

std::vector<Violation> memory_violations(const Memory& memory) {
  std::vector<Violation> out;
  if (memory.verdict() == FitVerdict::does_not_fit) out.push_back({kMemoryRule, fullest_stage(memory).text()});
  if (!host_fits(memory)) out.push_back(host_overflow(memory));
  return out;
}

}  // namespace planner
