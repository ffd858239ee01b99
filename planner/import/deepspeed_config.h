// The rules of `import deepspeed`, one file each: what its table cannot say.
#pragma once

#include "planner/import/settings.h"

namespace planner::deepspeed {

using Config = Settings;

// The first asks for degrees that the second puts.
void layout_rules(Config& c);
void batch_rules(Config& c);
void job_rules(Config& c);

}  // namespace planner::deepspeed
