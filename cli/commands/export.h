// `trainplan export`: a plan as the settings of the program that will run it.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command export_command();

}  // namespace cli
