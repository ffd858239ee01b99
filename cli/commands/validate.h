// `trainplan validate`: measured runs, or figures of papers, against what is predicted.
#pragma once

#include "cli/args/command.h"
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

Command validate_command();

}  // namespace cli
