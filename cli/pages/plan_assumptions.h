// The assumptions of a plan, in one line.
#pragma once

#include <string>

#include "planner/scenario/scenario.h"

namespace cli {

/// Unwritten fields of the job, the machine and the layout, and what is unknown without them.
std::string assumptions(const planner::LoadedScenario& loaded);

}  // namespace cli
