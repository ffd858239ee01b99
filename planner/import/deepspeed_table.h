// The keys of DeepSpeed's configuration and the flags of a launch line: one row each (deepspeed_table.cc).
#pragma once

#include "planner/import/settings.h"

namespace planner::deepspeed {

const KeyTable& key_table();

}  // namespace planner::deepspeed
