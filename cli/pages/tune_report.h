// What `trainplan tune` prints: settings or passes that were decided on, and strategies for the gradients.
#pragma once

#include <string>
#include <vector>

#include "cli/report/report.h"
#include "planner/studies/settings/tune_settings.h"
#include "planner/tuning/trace_tuner.h"
#include "planner/tuning/tuned.h"

namespace cli {

/// Strategies by their steps, and the buckets of the last one, the best. `decisions`: as decisions.h writes them, or
/// null.
Report tune_report(const planner::tuning::Subject& subject, const std::vector<planner::tuning::Candidate>& candidates,
                   Data decisions);

/// Puts the settings of a scenario before the existing report: the step and the memory before and after, the options
/// within a budget, a row for each decision, and the line that applies them. `strategies`: may be empty.
Report with_settings(const planner::TunedSettings& tuned, Report strategies);
/// The same for passes on a measured run, also each pass alone.
Report with_passes(const planner::tuning::TunedTrace& tuned, const planner::tuning::TraceMemory& memory,
                   Report strategies);

/// Why a pass has no strategies to compare.
std::string no_strategies(const planner::tuning::Tunable& pass);

/// What nothing fits: the way that needs the least memory.
std::string nearest_text(const planner::TunedSettings& tuned);
std::string nearest_text(const planner::tuning::TunedTrace& tuned);

}  // namespace cli
