// Input and output of an importer of runs.
#pragma once

#include <string>
#include <vector>

#include "dsl/catalog.h"
#include "dsl/node.h"
#include "planner/shell/shell_text.h"

namespace planner {

struct RunFiles {
  const dsl::Source* config = nullptr;        // the configuration
  const dsl::Source* launch = nullptr;        // the command line or script; null: none is given
  std::string model, cluster;                 // as `use` takes them; "": from the files, or a line to fill in
  ShellInput shell = {};                      // what a script gets from outside
  std::vector<const dsl::Source*> more = {};  // configurations beside the first
};

struct ImportedRun {
  dsl::Node scenario;                // a map; each value's comment is the flag or key behind it
  std::vector<std::string> ignored;  // flags and keys that change nothing in a plan, in written order
  bool complete = true;              // false: a line contains FILL_IN
};

/// Reads a run. `sources` keep what is read besides.
using RunReader = ImportedRun (*)(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics);

}  // namespace planner
