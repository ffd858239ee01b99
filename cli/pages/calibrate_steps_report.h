// What `calibrate steps` fitted: trainplan.calibrate/1, and pieces of catalogue files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/report/report.h"
#include "planner/studies/fit_steps/fit.h"

namespace cli {

/// The fit with its inputs; texts of the report.
struct FittedSteps {
  const planner::StepProblem* problem = nullptr;
  planner::StepsFit fit;
  std::string files;
  std::vector<std::string> warnings;
};

/// Keys: docs/output.md.
Report steps_report(const FittedSteps& steps);

/// Pieces of catalogue files: {"software": {NAME: {...}}, ...}.
Data steps_profile(const FittedSteps& steps);
/// A piece of YAML for each file that holds a fitted number, under a comment that names it.
std::string steps_fragments(const FittedSteps& steps);
/// The pieces as files of a catalogue folder, each on top of the entry of its name: {"software/nemo.yaml", text}.
std::vector<std::pair<std::string, std::string>> steps_files(const FittedSteps& steps);

/// Four digits with a unit.
std::string number_text(double value, dsl::Dim dim);
/// "+- 3.1 %", or in the number's unit around 0.
std::string error_text(const planner::FittedNumber& number);
/// A number's path inside its owner's file.
std::string below_owner(const std::string& path, planner::Owner owner);

}  // namespace cli
