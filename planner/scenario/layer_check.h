// Checks of a pattern of layers and its kinds, in addition to the bounds of each field.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "dsl/record.h"
#include "planner/scenario/model.h"

namespace planner {

struct LayerMistake {
  std::string field;  // "model.kinds[1].letter"
  std::string message, hint;
};

/// A pattern that cannot be read, that has a letter without a kind or another length than model.layers; kinds without a
/// pattern; a prediction pattern with a letter that no kind has; a letter that a pattern cannot use, or that two kinds
/// share; a mixer of steps without steps, or steps without it; a step that reads several results and does not say how
/// many values; experts where the model has none; heads that their heads of keys do not divide; a kind without a part.
/// A rule of layouts asks the same of each candidate of a search.
std::vector<LayerMistake> layer_mistakes(const Model& model);

/// Diagnoses these at their places, and warns of a prediction layer that the model does not have. `open`: paths of a
/// space's choices; their sample values are not checked.
void check_layers(const dsl::Record& record, const Model& model, const std::set<std::string>& open,
                  dsl::Diagnostics& diagnostics);

}  // namespace planner
