// What `trainplan validate` can be asked, as its flags say it.
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

}  // namespace cli
