// The settings that `tune` has found for a scenario, as the first part of its report.
#pragma once

#include "cli/report/report.h"
#include "planner/studies/settings/tune_settings.h"
#include "planner/tuning/subject.h"

namespace cli {

/// Puts them in front of what a report says already: the step and the memory before and after, what a budget left to
/// choose from, a row for each decision, and the line that applies them. `strategies`: may be empty.
Report with_settings(const planner::TunedSettings& tuned, Report strategies);

/// The table of ways to save memory, without rows: `passes`, `setting`, `step_seconds`, `peak_bytes`, `fits`.
Table ways_to_save();

/// Puts a document and a page in front of those of strategies. Where these have no rows, the rows are `table`, as
/// `key`.
Report in_front(Data::Object document, std::vector<Block> text, const char* key, Table table, Report strategies);

/// Why a pass has no strategies to compare.
std::string no_strategies(const planner::tuning::Tunable& pass);

/// What nothing fits: the way that needs the least memory.
std::string nearest_text(const planner::TunedSettings& tuned);

/// What `--set` takes: "software.bucket_bytes=64 MiB".
std::string setting_text(const planner::Sets& sets);

}  // namespace cli
