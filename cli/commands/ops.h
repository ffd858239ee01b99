// `trainplan ops`: the operators of a step.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command ops_command();

}  // namespace cli
