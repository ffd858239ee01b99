// `trainplan calibrate steps RUNS.csv`: the few numbers of profiles, calibrations and clusters that measured training
// steps determine.
#pragma once

#include "cli/options.h"
#include "cli/report.h"
#include "planner/studies/steps/fit.h"

namespace cli {

int run_calibrate_steps(const Options& options, Streams& streams);

/// The fit with what it was made from; texts of the report.
struct FittedSteps {
  const planner::StepProblem* problem = nullptr;
  planner::StepsFit fit;
  std::string files;
  std::vector<std::string> warnings;
};

/// trainplan.calibrate/1. Keys: docs/output.md.
Report steps_report(const FittedSteps& steps);
/// A piece of YAML for each file that holds a fitted number, under a comment that names it.
std::string steps_fragments(const FittedSteps& steps);

}  // namespace cli
