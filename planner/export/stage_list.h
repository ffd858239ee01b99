// Stages of a pipeline as Megatron-Core takes them: by their ends, or as a list.
#pragma once

#include <string>

#include "planner/scenario/scenario.h"

namespace planner::exporting {

/// Layers of the first part, of those between, and of the last.
struct StageEnds {
  int64_t first, middle, last;
  /// The ends hold as many layers as the others or one less: that of the embedding, or of the loss.
  bool are_counted() const { return middle - first <= 1 && middle - last <= 1 && first <= middle && last <= middle; }
};
/// REQUIRES: a pipeline.
StageEnds ends_of(const Scenario& s);

/// Returns whether stages differ in more than their ends (in an interleaved pipeline: in more than a layer of these),
/// so that Megatron-Core takes them as a list alone.
bool needs_list(const Scenario& s);

/// Returns that list, "Et*3|(t*2|)*6t*2mL": parts in the order of the model, with the embedding (E), layers (t),
/// prediction layers (m) and the loss (L). REQUIRES: a pipeline.
std::string write_stage_list(const Scenario& s);

}  // namespace planner::exporting
