// `model.pattern` as a list of kinds by name, which becomes the equivalent text of letters:
//
//     [{repeat: [{kind: gated-delta, count: 3}, {kind: attention}], count: 12}]   ->   (Gx3*)x12
#pragma once

#include "dsl/node.h"

namespace planner {

/// Writes the text in place of the list, and a free letter into each kind of `model.kinds` that has none. A list of
/// plain values stays: it is a choice. Diagnosed: an entry of another form, a kind that the model has not or has twice,
/// a count below 1, more layers than a model may have, and, where `model.layers` is a plain number, another sum.
void take_pattern_list(dsl::Node& tree, dsl::Diagnostics& diagnostics);

}  // namespace planner
