// `trainplan roadmap SCENARIO`: the scenario over evolution steps of its hardware and its model.
#pragma once

#include "cli/args/parse.h"

namespace cli {

int run_roadmap(const Options& options, Streams& streams);

}  // namespace cli
