// What an importer of runs takes and returns.
#pragma once

#include <string>
#include <vector>

#include "dsl/node.h"

namespace planner {

struct RunFiles {
  const dsl::Source* config = nullptr;  // the configuration
  const dsl::Source* launch = nullptr;  // the command line or script; null: none is given
  std::string model, cluster;           // as `use` takes them; "": what the files say, or a line to fill in
};

struct ImportedRun {
  dsl::Node scenario;                // a map; each value's comment is the flag or key behind it
  std::vector<std::string> ignored;  // flags and keys that change nothing in a plan, in written order
  bool complete = true;              // false: a line says FILL_IN
};

}  // namespace planner
