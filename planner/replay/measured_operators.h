// Operators that a trace measured, as the tables that `calibrate` reads (docs/calibrating.md): ten minutes of profiling
// make a profile.
//
// What one operator of the trace launched is one time: the sum of its kernels. Operators of the same shapes are one
// row, whose time is the median.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operator_models/calibrate/sample.h"
#include "planner/replay/kernel_shapes.h"
#include "planner/trace/collectives.h"

namespace planner::replay {

/// What an operator of the trace launched.
struct TakenOperator {
  Shaped shaped;
  int64_t ns = 0;  // sum of its kernels
};
/// Events of a device by the operators that launched them.
struct ByOperator {
  std::vector<TakenOperator> operators;  // with shapes, in the order of their first launch
  std::vector<size_t> others;            // events of none of these
};
/// `events`: places in the rank's, of a device.
ByOperator by_operator(const trace::RankTrace& rank, const KernelShapes& shapes, const std::vector<size_t>& events);

struct MeasuredOperator {
  operator_models::Operator op;
  std::string name;       // of the trace's operator: "aten::mm"
  bool unfolded = false;  // a convolution
  std::vector<int64_t> durations_ns;

  double median_seconds() const;
};

/// Returns them in the order of their first launch; those of all ranks together.
std::vector<MeasuredOperator> measured_operators(const trace::Trace& trace);

/// A table, and what is to be said of what is not in it.
struct CalibrationTable {
  std::string text;
  std::vector<std::string> notes = {};
};

/// Returns the table of a kind of measurements ("gemm", "attention", "vector", "collective"), its header alone where
/// the trace has none; "": traces have no rows of the kind. Convolutions are no GEMMs, and a collective of one rank of
/// several holds its wait: neither is a row. Ranks fill the nodes of `machine`.
CalibrationTable calibration_table(std::string_view kind, const trace::Trace& trace,
                                   const operator_models::Machine& machine);

/// The table of kernels bound by memory: a row for operators of the same name, shapes and types (vector_shapes.h): its
/// time is the median of
///
///     launch + sum over its kernels of max(0, duration - empty_kernel)
///
/// as the models price a call: a kernel's duration holds what an empty one takes and no launch. Operators that move
/// less than the memory does in the time of an empty kernel are no rows: their time is their launch. Told: how many of
/// these there are, and which kernels are of no operator that is known.
CalibrationTable vector_table(const trace::Trace& trace, const operator_models::Machine& machine);

/// REQUIRES: not empty.
double median_of(std::vector<int64_t> ns);

}  // namespace planner::replay
