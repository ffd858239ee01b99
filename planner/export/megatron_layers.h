// Layers of different kinds as flags of Megatron-LM: a letter each (--hybrid-layer-pattern), or lists of the layers
// with a kind of attention or feed-forward part (--linear-attention-freq and its relatives).
#pragma once

#include "planner/export/table.h"

namespace planner::exporting {

/// Whether each layer has one part, and so a letter in Megatron-LM's patterns.
bool has_letters(const Scenario& s);
bool has_pattern(const Scenario& s);

/// Puts the flags of `model.pattern` and `model.kinds`, or refuses what Megatron-LM has no layer for.
void put_layers(Writer& w);

}  // namespace planner::exporting
