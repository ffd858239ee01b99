// `trainplan tune`: which gradients to reduce together, and which operators to fuse.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command tune_command();

}  // namespace cli
