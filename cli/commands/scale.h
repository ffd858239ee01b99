// `trainplan scale DATA...`: scaling models of measured runs, or of given formulas, and what follows from them.
#pragma once

#include "cli/args/command.h"
#include "dsl/catalog.h"
#include "planner/scaling/advice.h"
#include "planner/scaling/analysis.h"
#include "planner/scaling/epoch_steps.h"
#include "planner/studies/against/against.h"

namespace cli {

Command scale_command();

}  // namespace cli
