// The keys of GPT-NeoX: one row each (gpt_neox_table.cc).
#pragma once

#include "planner/import/settings.h"

namespace planner::neox {

/// Its `old_names` are the keys that stand for a flag of Megatron-DeepSpeed.
const KeyTable& key_table();

}  // namespace planner::neox
