// Random scenarios: any shipped model on any shipped machine under any shipped software, machine and software moved
// away from their figures, in any layout that the rules allow.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "planner/scenario/scenario.h"
#include "tests/properties/random.h"

namespace properties {

using Sets = std::vector<std::string>;  // "PATH=VALUE"
Sets operator+(Sets a, const Sets& b);

/// A scenario as a user would write it: a text on one GPU without a layout, and what `--set` moves in it.
struct Written {
  std::string text;
  Sets sets;
};

/// Entries of the catalogue, by kind.
using Uses = std::map<std::string, std::string, std::less<>>;

/// Some texts cannot be read: a machine may lack the precision, or an accelerator the attention kernel of the software.
/// `uses`: fixed entries, not drawn.
Written draw_written(Random& random, const Uses& uses = {});

/// Reads it, with further sets; nullopt if it cannot be.
std::optional<planner::Scenario> read(const Written& written, const Sets& further = {});

/// The same with its choices left open, and the texts that it points into.
struct Opened {
  dsl::Source source;
  dsl::Sources sources;
  std::optional<planner::OpenScenario> scenario;  // has a value
};
std::unique_ptr<Opened> open(const Written& written, const Sets& further);

/// Gives the scenario a layout, a batch and GPUs; false: the rules refused all that was tried.
bool draw_layout(planner::Scenario& scenario, Random& random);
/// Returns what says the same.
Sets layout_sets(const planner::Scenario& scenario);

}  // namespace properties
