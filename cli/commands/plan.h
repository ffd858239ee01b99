// `trainplan plan`: one configuration.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command plan_command();

}  // namespace cli
