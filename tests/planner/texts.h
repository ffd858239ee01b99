// A text of a scenario with all its inputs, for tests of the layer between files and scenarios.
#pragma once

#include <string>
#include <vector>

#include "planner/resolve/read.h"

namespace sample {

class Texts {
 public:
  Texts(const std::string& text, std::vector<dsl::Override> sets, const std::string& directory = "")
      : sets_(std::move(sets)), source_(sources.emplace_back(dsl::Source{"ask.yaml", text, directory})) {}

  planner::ScenarioText text() { return {source_, sets_, catalog_, sources}; }
  /// All that was diagnosed, as it is printed.
  std::string told() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list) out += dsl::render(d);
    return out;
  }

  dsl::Sources sources;
  dsl::Diagnostics diagnostics;

 private:
  dsl::Catalog catalog_{.builtin = planner::builtin_catalog(), .directories = {}};
  std::vector<dsl::Override> sets_;
  const dsl::Source& source_;
};

}  // namespace sample
