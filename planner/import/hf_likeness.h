// Which known architecture a configuration of an unknown one resembles.
#pragma once

#include <string>

#include "dsl/node.h"

namespace planner::hf {

/// The hint for an unknown architecture: the known one with the most similar keys, its unread and missing keys;
/// otherwise the names of all.
std::string likeness_hint(const dsl::Node& config);

}  // namespace planner::hf
