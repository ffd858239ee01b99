// `trainplan calibrate steps RUNS.csv`: the few numbers of profiles, calibrations and clusters that measured training
// steps determine.
#pragma once

#include "cli/args/parse.h"
#include "cli/report/report.h"
#include "planner/studies/fit_steps/fit.h"

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
/// Pieces of catalogue files (calibrate_steps_profile.cc): {"software": {NAME: {...}}, ...}.
Data steps_profile(const FittedSteps& steps);
/// A piece of YAML for each file that holds a fitted number, under a comment that names it.
std::string steps_fragments(const FittedSteps& steps);

/// Four digits with a unit.
std::string number_text(double value, dsl::Dim dim);
/// "+- 3.1 %", or in the number's unit around 0.
std::string error_text(const planner::FittedNumber& number);
/// A number's path inside its owner's file.
std::string below_owner(const std::string& path, planner::Owner owner);

}  // namespace cli
