// What an importer of runs returns.
#pragma once

#include <string>
#include <vector>

#include "dsl/node.h"

namespace planner {

struct ImportedRun {
  dsl::Node scenario;                // a map; each value's comment is the flag or key behind it
  std::vector<std::string> ignored;  // flags and keys that change nothing in a plan, in written order
  bool complete = true;              // false: a line says FILL_IN
};

}  // namespace planner
