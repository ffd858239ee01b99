// The settings that `tune` has found for a scenario, as the first part of its report.
#pragma once

#include "cli/report/report.h"
#include "planner/studies/settings/tune_settings.h"
#include "planner/tuning/subject.h"

namespace cli {

/// Puts them in front of what a report says already: the step and the memory before and after, what a budget left to
/// choose from, a row for each decision, and the line that applies them. `strategies`: may be empty.
Report with_settings(const planner::TunedSettings& tuned, Report strategies);

/// Why a pass has no strategies to compare.
std::string no_strategies(const planner::tuning::Tunable& pass);

/// What nothing fits: the way that needs the least memory.
std::string nearest_text(const planner::TunedSettings& tuned);

/// What `--set` takes: "software.bucket_bytes=64 MiB".
std::string setting_text(const planner::Sets& sets);

}  // namespace cli
