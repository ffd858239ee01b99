// `trainplan validate`: its options, as its flags give them, and its inputs other than tables of measured runs.
#pragma once

#include "cli/commands/common.h"

namespace cli {

struct ValidateFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  std::string where;               // over the columns of the table
  std::vector<std::string> by;     // columns that make the groups
  std::optional<double> max_mape;  // a fraction
  bool recipes = false;            // the input is a folder of published layouts
};

/// "" or the flag of measured runs that is given, where the inputs are `what` and have none.
std::string wrong_run_flag(const ValidateFlags& options, const char* what);

/// --recipes FOLDER: compares layouts that vendors published with those that a search finds. In FOLDER/problems.csv,
/// `file` names FILE-recipe.yaml and FILE-auto.yaml in the same folder; `id` and `measured_s` are optional. Other
/// columns about the recipe (gpus, sequence, batch) are compared with it.
int run_recipes(const ValidateFlags& options, Streams& streams);

/// Whether one of the files is a scenario (.yaml, .yml).
bool has_scenario(const std::vector<std::string>& files);

/// Scenarios with a `study`: figures of a paper next to predictions. kAboveLimit if a required figure is missed.
int run_studies(const ValidateFlags& options, Streams& streams);

}  // namespace cli
