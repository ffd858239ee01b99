// Which settings make a step fit a budget of memory, and then shorter (dPRO, Hu et al. 2022, section 5.2).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planner/studies/settings/setting_passes.h"

namespace planner {

/// One way of a single pass, as a budget requires it.
struct MemoryWay {
  std::string passes;  // "recompute", or two: "recompute, gradient-accumulation"
  Sets sets;
  double step_seconds = 0, peak_bytes = 0;
  bool fits = false;
};

/// The aim of a pass, and its gain: the step without it, all else kept, less the step with it. nullopt: it cannot be
/// left out, as nothing else fits.
struct SettingDecision {
  const SettingPass* pass = nullptr;
  Sets sets;
  std::optional<double> gain_seconds;
};

struct TunedSettings {
  double budget_bytes = 0;        // the memory of a GPU (cluster.gpu.memory)
  Plan before, after;             // `after` fits the budget, unless nothing does
  std::vector<MemoryWay> memory;  // where `before` is over the budget: all that was tried
  std::vector<SettingDecision> decisions;
  int64_t plans = 0;  // that were made
  bool fits = true;
  Sets sets() const;  // of all decisions
};

/// Which passes may be taken.
using AllowedPass = std::function<bool(const SettingPass&)>;

/// Memory first. If the plan exceeds the budget: the way of a memory pass with the shortest step that fits, or of two
/// passes if no single one does. Then the passes for time, each with the way of the shortest step, repeated until five
/// rounds gain less than 0.1 %. A pass whose bound is below that is skipped.
/// REQUIRES: no layout violation.
TunedSettings tune_settings(
    const Reread& reread, const AllowedPass& allowed = [](const SettingPass&) { return true; });

}  // namespace planner
