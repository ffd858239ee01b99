// `trainplan validate --recipes FOLDER`: layouts that vendors published, against what a search finds in their place.
#pragma once

#include "cli/commands/validate_flags.h"

namespace cli {

/// Of FOLDER/problems.csv: `file` names FILE-recipe.yaml and FILE-auto.yaml beside it; `id` and `measured_s` may be
/// there, and what else a column says of the recipe (gpus, sequence, batch) is compared with it.
int run_recipes(const ValidateFlags& options, Streams& streams);

}  // namespace cli
