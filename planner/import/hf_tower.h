// Towers of a model other than the language model: counted, not planned.
#pragma once

#include "dsl/node.h"

namespace planner::hf {

/// Parameters of the tower that a `vision_config` or `audio_config` describes: layers of attention and MLP, patches and
/// the layers that join them to the language model; 0 if its width or depth is missing. A value that is not a number is
/// diagnosed.
double tower_parameters(const dsl::Node& config, dsl::Diagnostics& diagnostics);

}  // namespace planner::hf
