// The part of a plan or a search about a run whose steps differ in sequence length.
#pragma once

#include "cli/report/report.h"
#include "planner/scenario/scenario.h"

namespace cli {

/// "5 SeqPoints for 231 lengths in 436 steps (off by 0.05 %), 0.1 % of the tokens padding".
std::string lengths_line(const planner::Lengths& lengths);

/// Adds "sequence" to a report's document; nothing if all steps are alike.
void add_lengths(const planner::Lengths& lengths, Data::Object& document);

}  // namespace cli
