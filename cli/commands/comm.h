// `trainplan comm`: compute against communication.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command comm_command();

}  // namespace cli
