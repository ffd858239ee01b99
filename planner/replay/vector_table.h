// What a trace measured of kernels bound by memory, as a table that `calibrate vector` reads.
#pragma once

#include <string>
#include <vector>

#include "operator_models/calibrate/sample.h"
#include "planner/trace/trace.h"

namespace planner::replay {

/// A table, and what is to be said of what is not in it.
struct CalibrationTable {
  std::string text;
  std::vector<std::string> notes = {};
};

/// A row for operators of the same name, shapes and types (vector_shapes.h): its time is the median of
///
///     launch + sum over its kernels of max(0, duration - empty_kernel)
///
/// as the models price a call: a kernel's duration holds what an empty one takes and no launch. Operators that move
/// less than the memory does in the time of an empty kernel are no rows: their time is their launch. Told: how many of
/// these there are, and which kernels are of no operator that is known.
CalibrationTable vector_table(const trace::Trace& trace, const operator_models::Machine& machine);

}  // namespace planner::replay
