// `trainplan check`: lint of scenario and catalogue files.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command check_command();

}  // namespace cli
