// The rows of tables of measured runs as scenarios beside what was measured, for `calibrate steps` and `errors`.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/calibrate_flags.h"
#include "cli/input/session.h"
#include "planner/studies/fit_steps/problem.h"
#include "planner/studies/runs/run.h"

namespace cli {

/// The runs of all tables, outliers left out. Nothing after a diagnosed mistake.
std::vector<planner::Run> read_all_runs(const CalibrateFlags& options, Streams& streams, Session& session,
                                        std::vector<std::string>& warnings);

/// Those that are planned and measured; why the others are not goes to the warnings. Their plans are what the operators
/// say: what runs came to (software.errors) is left away.
std::vector<planner::MeasuredRun> measured_runs(std::vector<planner::Run> runs, const CalibrateFlags& options,
                                                Session& session, std::vector<std::string>& warnings);

}  // namespace cli
