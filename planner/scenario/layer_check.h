// What a pattern of layers and its kinds must hold, beside the bounds of each field.
#pragma once

#include <set>
#include <string>

#include "dsl/record.h"
#include "planner/scenario/model.h"

namespace planner {

/// Diagnoses, at its place: a pattern that cannot be read, has a letter without a kind or does not expand to
/// model.layers; kinds without a pattern; letters that are none or come twice; a mixer of steps without steps, or steps
/// without it; experts where the model has none; heads that their heads of keys do not divide; a kind with neither
/// part. `open`: paths of a space's choices, of which nothing is judged.
void check_layers(const dsl::Record& record, const std::set<std::string>& open, dsl::Diagnostics& diagnostics);

/// The first of these mistakes that the values of a candidate have, as text; "": none. What a space has opened is judged
/// with it, as a rule of layouts.
std::string layers_mistake(const Model& model);

}  // namespace planner
