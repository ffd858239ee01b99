// `trainplan init`: a first scenario.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command init_command();

}  // namespace cli
