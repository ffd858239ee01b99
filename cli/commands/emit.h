// `trainplan emit TARGET SCENARIO --shards N`: a search in shards as a job of a scheduler.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command emit_command();

}  // namespace cli
