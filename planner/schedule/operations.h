// The input of the event timeline: every operation of every stage, in order and with its microbatch.
#pragma once

#include "planner/schedule/program.h"
#include "planner/schedule/schedule.h"

namespace planner {

struct Numbered {
  Operation operation;
  int64_t microbatch = 0;
};

/// Returns the operations of a stage in order. REQUIRES: find_schedule(schedule).
std::vector<Numbered> operations_of(const PipelineShape& shape, std::string_view schedule, int64_t stage);

}  // namespace planner
