#include "planner/studies/whatif/unwritten.h"

#include <algorithm>
#include <cmath>

#include "planner/plan/goals.h"

namespace planner {
namespace {

constexpr double kMatters = 0.1;  // of the step, and of the memory

bool differs(double a, double b) { return std::fabs(a - b) > kMatters * b; }

bool matters(const Alternative& a, const Plan& plan) {
  return a.feasible != plan.feasible || differs(a.seconds, plan.step->seconds) ||
         differs(a.peak_bytes, plan.memory->device.peak_bytes);
}

/// The field with every value but its own that matters.
void try_values(const std::string& field, const std::string& value, const std::vector<std::string>& values,
                const Plan& plan, const Reread& reread, std::vector<Unwritten>& out) {
  Unwritten unwritten{.field = field, .value = value};
  for (const std::string& other : values) {
    if (other == value) continue;
    const std::optional<LoadedScenario> loaded = reread({{field, other}});
    if (!loaded) continue;
    const Plan changed = plan_with_goals(*loaded);
    if (!changed.step) continue;
    const Alternative a{other, changed.feasible, changed.step->seconds, changed.memory->device.peak_bytes};
    if (matters(a, plan)) unwritten.alternatives.push_back(a);
  }
  std::ranges::stable_sort(unwritten.alternatives, {}, &Alternative::seconds);
  if (!unwritten.alternatives.empty()) out.push_back(std::move(unwritten));
}

/// A model of layers that is trained: there is something to run again.
bool may_recompute(const Scenario& s) { return s.model.operators.empty() && s.job.phase == Phase::train; }

bool set_by_recipe(const LoadedScenario& loaded, const std::string& field) {
  return std::ranges::count(loaded.recipe, field, &RecipeField::field) > 0;
}

std::vector<std::string> kernels(const Scenario& s) {
  std::vector<std::string> names{"unfused"};
  for (const auto& [kernel, row] : s.calibration.attention)
    if (kernel != "default") names.push_back(kernel);
  return names;
}

}  // namespace

std::vector<Unwritten> unwritten_fields(const LoadedScenario& loaded, const Plan& plan,
                                        const std::vector<std::string>& profiles, const Reread& reread) {
  std::vector<Unwritten> out;
  if (!plan.step || !plan.memory) return out;
  const Scenario& s = loaded.scenario;
  const std::string recompute = "parallelism.recompute", attention = "software.attention";
  if (may_recompute(s) && !loaded.record.find(recompute)->given && !set_by_recipe(loaded, recompute))
    try_values(recompute, kRecomputeNames[static_cast<size_t>(s.parallelism.recompute)],
               {kRecomputeNames.begin(), kRecomputeNames.end()}, plan, reread, out);
  if (!loaded.software_assumed || !s.model.operators.empty()) return out;
  try_values("software.use", s.software.name, profiles, plan, reread, out);
  if (is_of_catalogue(*loaded.record.find(attention)) && !set_by_recipe(loaded, attention))
    try_values(attention, s.software.attention, kernels(s), plan, reread, out);
  return out;
}

}  // namespace planner
