// The first scenario of somebody who has none: a model on a machine, with a layout that fits.
#pragma once

#include <optional>
#include <string>

#include "planner/studies/start/facts.h"

namespace planner {

/// Returns a scenario as a text with comments: the model at a length that it supports; a batch and a run typical of its
/// size; the fewest GPUs (a power of two of nodes) that hold it; the fastest layout that fits there, found by a search.
/// nullopt: no such model or machine, or no layout fits (diagnosed without a place).
std::optional<std::string> starting_scenario(const StartQuestion& question, const dsl::Catalog& catalog,
                                             dsl::Sources& sources, dsl::Diagnostics& diagnostics);

}  // namespace planner
