// The table of `import deepspeed`, and rules beyond the table, one file each.
#pragma once

#include "planner/import/settings.h"

namespace planner::deepspeed {

using Config = Settings;

/// Returns the keys of the configuration and the flags of a launch line: one row each (deepspeed_table.cc).
const KeyTable& key_table();

// The first needs degrees that the second puts.
void layout_rules(Config& c);
/// Stage, buckets and offloading alone: of the layout, what Megatron-DeepSpeed leaves to the configuration.
void zero_rules(Config& c);
void batch_rules(Config& c);
void job_rules(Config& c);

}  // namespace planner::deepspeed
