// `trainplan merge`: the results of `search --shard I/N` as the result of the whole search.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command merge_command();

}  // namespace cli
