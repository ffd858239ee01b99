// `trainplan shard`: where the embedding tables of a recommender go, and the step that follows.
#pragma once

#include "cli/args/command.h"

namespace cli {

Command shard_command();

}  // namespace cli
