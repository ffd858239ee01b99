// `trainplan scale DATA...`: scaling models of measured runs, or of given formulas, and what follows from them.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command scale_command();

}  // namespace cli
