// `trainplan list`: catalogue entries and the tables in the code.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command list_command();

}  // namespace cli
