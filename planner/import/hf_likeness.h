// Which known architecture a configuration of an unknown one resembles.
#pragma once

#include <string>

#include "dsl/node.h"

namespace planner::hf {

/// The hint of an unknown architecture: the known one whose keys are most like those of the configuration, with what it
/// does not read, or what it needs; else the names of all.
std::string likeness_hint(const dsl::Node& config);

}  // namespace planner::hf
