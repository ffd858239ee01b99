// The first scenario of somebody who has none: a model on a machine, with a layout that fits.
//
// The basis of a first scenario: facts of the model and of the machine.
#pragma once

#include <optional>
#include <string>

#include "dsl/catalog.h"
#include "planner/scenario/scenario.h"

namespace planner {

struct StartQuestion {
  std::string model = "llama3-8b";   // a name or a file as `use` takes it; hf:PATH
  std::string cluster = "dgx-h100";  // the same
  std::string directory = ".";       // that files are relative to
};

struct StartFacts {
  Scenario scenario;               // the model and the machine, one sample of the least length
  bool listed = false;             // a fixed list of operators, no Transformer
  int64_t sequence = 1;            // tokens of a sample
  double parameters = 0;           // of the model
  double active = 0;               // of them, those that see a token
  int64_t batch = 1;               // samples of a step, about
  double tokens = 0;               // of the run
  int64_t nodes = 1;               // the fewest that hold the weights and their training state
  const char* software = nullptr;  // the usual one
};

/// A name or path as YAML takes it behind `use:`, in quotes where it needs them.
std::string as_yaml(const std::string& name);

/// nullopt: a mistake (diagnosed without a place).
std::optional<StartFacts> start_facts(const StartQuestion& question, const dsl::Catalog& catalog, dsl::Sources& sources,
                                      dsl::Diagnostics& diagnostics);

/// Returns a scenario as a text with comments: the model at a length that it supports; a batch and a run typical of its
/// size; the fewest GPUs (a power of two of nodes) that hold it; the fastest layout that fits there, found by a search.
/// nullopt: no such model or machine, or no layout fits (diagnosed without a place).
std::optional<std::string> starting_scenario(const StartQuestion& question, const dsl::Catalog& catalog,
                                             dsl::Sources& sources, dsl::Diagnostics& diagnostics);

}  // namespace planner
