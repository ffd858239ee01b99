// Which passes make a traced run fit a budget of memory, and then shorter (dPRO, Hu et al. 2022, section 5.2).
//
// The same order as of a scenario's settings (studies/settings): memory first, then time; each step is one of the whole
// run's graph.
#pragma once

#include <functional>

#include "planner/tuning/trace_passes.h"

namespace planner::tuning {

/// A single pass applied to the measured run: its best way, or why it does not apply.
struct TracedPass {
  const TracePass* pass = nullptr;
  std::string setting, why_not;  // one of the two is ""
  double gain_seconds = 0;       // less than 0: the step becomes longer
  double memory_bytes = 0;       // by which the peak changes
  bool taken = false;
};

/// A chosen pass, and how much longer the step is without it, all else kept. nullopt: nothing fits without it.
struct TraceDecision {
  const TracePass* pass = nullptr;
  std::string setting;
  std::optional<double> gain_seconds;
};

/// A way of memory passes that a budget required.
struct TraceMemoryWay {
  std::string passes, setting;
  double step_seconds = 0, peak_bytes = 0;
  bool fits = false;
};

struct TunedTrace {
  std::optional<double> budget_bytes;  // nullopt: none is given
  double step_before = 0, step_after = 0, peak_before = 0, peak_after = 0;
  std::vector<TracedPass> passes;
  std::vector<TraceMemoryWay> memory;  // where the run is over the budget: all that was tried
  std::vector<TraceDecision> decisions;
  TraceChoice choice;
  bool fits = true;
  int64_t replays = 0;
};

using AllowedTracePass = std::function<bool(const TracePass&)>;

/// REQUIRES: the run's graph has a step, as it is.
TunedTrace tune_trace(const TraceRun& run, std::optional<double> budget_bytes, const AllowedTracePass& allowed);

}  // namespace planner::tuning
