// Whether a plan fits the memory, and what would make it fit.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "planner/plan/changes.h"
#include "planner/plan/step.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

double gib(double bytes) { return bytes / (1024.0 * 1024 * 1024); }

std::pair<const char*, double> largest_component(const StageMemory& m) {
  const std::array<std::pair<const char*, double>, 5> parts{{{"weights", m.weights},
                                                             {"gradients", m.gradients},
                                                             {"optimizer states", m.optimizer},
                                                             {"activations", m.activations},
                                                             {"temporary buffers", m.temporary}}};
  return *std::max_element(parts.begin(), parts.end(), [](auto& a, auto& b) { return a.second < b.second; });
}

// Single changes that save memory, the cheapest in time first.
struct Relief {
  const char* text;
  bool (*apply)(Scenario&);
};
bool set_recompute(Scenario& s, Recompute r) {
  return s.parallelism.recompute < r ? (s.parallelism.recompute = r, true) : false;
}
constexpr std::array kBeforeDegrees{
    Relief{"parallelism.sequence_parallel=true",
           [](Scenario& s) { return s.parallelism.tp > 1 && !std::exchange(s.parallelism.sequence_parallel, true); }},
    Relief{"parallelism.zero=1",
           [](Scenario& s) {
             return s.parallelism.dp > 1 && s.parallelism.zero == 0 ? (s.parallelism.zero = 1, true) : false;
           }},
    Relief{"parallelism.recompute=selective", [](Scenario& s) { return set_recompute(s, Recompute::selective); }},
    Relief{
        "half the microbatch",
        [](Scenario& s) { return s.parallelism.microbatch % 2 == 0 ? (s.parallelism.microbatch /= 2, true) : false; }},
};
constexpr std::array kBehindDegrees{
    Relief{"parallelism.recompute=full", [](Scenario& s) { return set_recompute(s, Recompute::full); }},
    Relief{"parallelism.zero=3",
           [](Scenario& s) {
             return s.parallelism.dp > 1 && s.parallelism.zero < 3 ? (s.parallelism.zero = 3, true) : false;
           }},
};

std::string nearest_change(const Scenario& s) {
  std::string found;
  const auto fits = [&](const std::string& text, const auto& apply) {
    Scenario other = s;
    if (!found.empty() || !apply(other) || !layout_violations(other).empty()) return;
    if (make_memory(other, build_workload(other)).peak_bytes <= s.cluster.gpu.memory.value) found = text;
  };
  for (const Relief& change : kBeforeDegrees) fits(change.text, change.apply);
  for (const Degree& degree : degrees())
    if (degree.relief)
      fits(fmt::format("{} (half the data parallelism)", degree.relief),
           [&](Scenario& other) { return grow(other, degree, 2); });
  for (const Relief& change : kBehindDegrees) fits(change.text, change.apply);
  if (!found.empty()) return fmt::format("it would fit with {}", found);
  return "no single change makes it fit: use more GPUs or a smaller microbatch";
}

Violation host_overflow(const Memory& memory) {
  return {"host-memory",
          fmt::format("the ranks of a node keep {:.1f} GiB in host memory of {:.1f} GiB, {:.1f} GiB too much; offload "
                      "smaller shares, or divide them among more nodes",
                      gib(memory.host_bytes), gib(memory.host_capacity_bytes),
                      gib(memory.host_bytes - memory.host_capacity_bytes))};
}

}  // namespace

std::optional<Overflow> overflow_of(const Memory& memory) {
  if (memory.peak_bytes <= memory.capacity_bytes) return std::nullopt;
  const auto worst = std::max_element(memory.stages.begin(), memory.stages.end(),
                                      [](const StageMemory& a, const StageMemory& b) { return a.total() < b.total(); });
  const auto [component, bytes] = largest_component(*worst);
  return Overflow{worst->stage, worst->total(), memory.capacity_bytes, component, bytes};
}

std::string Overflow::text() const {
  return fmt::format("stage {} needs {:.1f} GiB of {:.1f} GiB, {:.1f} GiB too much; most of it {} ({:.1f} GiB)", stage,
                     gib(bytes), gib(capacity_bytes), gib(bytes - capacity_bytes), component, gib(component_bytes));
}

std::vector<Violation> memory_violations(const Scenario& s, const Memory& memory) {
  std::vector<Violation> out;
  if (const auto overflow = overflow_of(memory)) out.push_back({"memory", overflow->text() + "; " + nearest_change(s)});
  if (memory.host_bytes > memory.host_capacity_bytes) out.push_back(host_overflow(memory));
  return out;
}

}  // namespace planner
