#include <algorithm>
#include <cmath>

#include "cli/pages/plan_report.h"
#include "cli/report/figure.h"

namespace cli {
namespace {

using planner::StageMemory;
using planner::StageUse;

double length(const StageUse& t) { return t.forward + t.backward + t.weight_gradient + t.wait; }

svg::Bar time_bar(const StageUse& t) {
  const double all = length(t);
  return {.label = "",
          .parts = {t.forward / all, (t.backward + t.weight_gradient) / all, t.wait / all, 0, 0, 0, 0, 0},
          .note = figure(all, Unit::seconds)};
}

svg::Bar memory_bar(const StageMemory& m, double capacity) {
  const double rest = m.temporary + m.fragmentation + m.device_overhead;
  return {.label = "",
          .parts = {0, 0, 0, m.weights / capacity, m.gradients / capacity, m.optimizer / capacity,
                    m.activations / capacity, rest / capacity},
          .note = figure(m.total(), Unit::memory)};
}

bool same(const svg::Bar& a, const svg::Bar& b) {
  return std::ranges::equal(a.parts, b.parts, [](double x, double y) { return std::abs(x - y) < 1e-9; });
}

/// Adds a bar for each run of neighbours with the same parts, the first of them below the heading.
void add(std::vector<svg::Bar>& bars, const std::vector<svg::Bar>& stages, const char* heading) {
  for (StageRun<svg::Bar>& run : stage_runs(stages, same)) {
    run.label = "stage " + run.name();
    if (run.first == 0) run.heading = heading;
    bars.push_back(std::move(run));
  }
}

}  // namespace

svg::StackedBars plan_bars(const planner::LoadedScenario& loaded, const planner::Plan& plan,
                           const std::vector<StageUse>& times) {
  svg::StackedBars chart{.title = scenario_title(loaded.scenario),
                         .subtitle = "how each stage spends its step, and what fills the memory of its GPUs",
                         .axis = "share",
                         .percent = true,
                         .series = {"forward", "backward", "wait", "weights", "gradients", "optimizer", "activations",
                                    "temporary and reserved"},
                         .bars = {},
                         .nothing = "the layout does not work"};
  std::vector<svg::Bar> stages;
  for (const StageUse& t : times)
    if (length(t) > 0) stages.push_back(time_bar(t));
  add(chart.bars, stages, "time, of the pipeline's");
  stages.clear();
  if (plan.memory)
    for (const StageMemory& m : plan.memory->stages)
      stages.push_back(memory_bar(m, plan.memory->device.capacity_bytes));
  add(chart.bars, stages, "memory, of what there is");
  return chart;
}

}  // namespace cli
