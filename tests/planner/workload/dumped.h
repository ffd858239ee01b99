// Rows of a table from a scenario to lines of its dump.
#pragma once

#include <string>

#include "tests/planner/sample.h"

namespace dumped {

struct Row {
  const char* model;  // "gpt", "llama", or a mixture
  sample::Sets sets;
  const char* name;
  const char* lines;
};

/// Lines of the dump whose first word, behind the number of an operator, begins with the name: a number counts from
/// the start of its block.
std::string excerpt(const planner::Scenario& s, const std::string& name);

planner::Scenario scenario_of(const Row& row);

}  // namespace dumped
