// The program within a target.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/files/partial_input.h"
#include "tests/fuzz/fuzz.h"

namespace fuzz {

/// Runs the program with `in` as standard input: it ends with a document of JSON, which is returned, or with an error
/// in words. REQUIRES: the arguments ask for JSON.
inline std::string run(const std::vector<std::string>& args, const std::string& in) {
  std::istringstream input(in);
  std::ostringstream out, err;
  cli::Streams streams{.in = input, .out = out, .err = err};
  const int status = cli::run(args, streams);
  require(status == cli::kDone || status == cli::kNotFeasible || status == cli::kInvalidInput);
  if (status == cli::kInvalidInput) return require(!err.str().empty()), "";
  const dsl::Source document{"out.json", out.str(), ""};
  dsl::Diagnostics diagnostics;
  dsl::parse_json(document, diagnostics, cli::kResultLimits);
  require_read(diagnostics);
  return out.str();
}

}  // namespace fuzz
