// `search` and `sweep`: scenarios with open choices.
#pragma once

#include <functional>

#include "cli/args/parse.h"

namespace cli {

int run_search(const Options& options, Streams& streams);
int run_sweep(const Options& options, Streams& streams);

/// Runs a command that takes --pick: with `best`, every choice is first set as the best plan of a search has it.
/// kNotFeasible, after saying so, where there is none: the command then runs on the first candidate that can be
/// planned, if there is one.
int with_picked(const Options& options, Streams& streams, const std::function<int(const Options&, Streams&)>& command);

}  // namespace cli
