// `trainplan seqpoint`: the iterations of a variable-length run that stand for all of them.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command seqpoint_command();

}  // namespace cli
