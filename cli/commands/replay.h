// `trainplan replay`: what was measured of a run, across its ranks.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command replay_command();

}  // namespace cli
