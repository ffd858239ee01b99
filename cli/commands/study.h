// `validate` of scenarios with a `study`: figures of a paper beside ours.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/validate_flags.h"

namespace cli {

/// Whether one of the files is a scenario (.yaml, .yml).
bool has_scenario(const std::vector<std::string>& files);

/// kAboveLimit if a required figure is missed.
int run_studies(const ValidateFlags& options, Streams& streams);

}  // namespace cli
