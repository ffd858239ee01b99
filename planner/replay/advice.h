// A change that may shorten the step, and what the step is with it.
#pragma once

#include <string>

namespace planner::replay {

struct Advice {
  std::string what, flag;   // in words; as `trainplan replay` takes it
  double step_seconds = 0;  // the mean step of all ranks with it
};

}  // namespace planner::replay
