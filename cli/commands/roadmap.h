// `trainplan roadmap`: the scenario over evolution steps of its hardware and its model.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command roadmap_command();

}  // namespace cli
