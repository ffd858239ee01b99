// `trainplan sweep`: one row per combination of the choices.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command sweep_command();

}  // namespace cli
