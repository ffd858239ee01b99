// `trainplan completion` and `trainplan man`: what the rows of all commands say to shells and to man.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command completion_command();
Command man_command();

}  // namespace cli
