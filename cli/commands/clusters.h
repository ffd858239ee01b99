// `trainplan clusters`: machines side by side, each with the best layout.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command clusters_command();

}  // namespace cli
