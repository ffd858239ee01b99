// `trainplan search`: the best plans of a scenario with open choices.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command search_command();

}  // namespace cli
