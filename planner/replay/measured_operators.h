// Operators that a trace measured, as the tables that `calibrate` reads (docs/calibrating.md): ten minutes of profiling
// give a profile.
//
// The launches of one operator of the trace are one time: the sum of its kernels. Operators of the same shapes are one
// row, whose time is the median.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operator_models/calibrate/sample.h"
#include "planner/replay/kernel_shapes.h"
#include "planner/trace/collectives.h"

namespace planner::replay {

/// The launches of an operator of the trace.
struct TakenOperator {
  Shaped shaped;
  int64_t ns = 0;  // sum of its kernels
};
/// Events of a device by the operators that launched them.
struct ByOperator {
  std::vector<TakenOperator> operators;  // with shapes, in the order of their first launch
  std::vector<size_t> others;            // all other events
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

/// A table, and remarks on what it leaves out.
struct CalibrationTable {
  std::string text;
  std::vector<std::string> notes = {};
};

/// Returns the table of a kind of measurements ("gemm", "attention", "vector", "collective"); its header alone if the
/// trace has no rows; "" if traces have no rows of the kind. Convolutions are not GEMMs, and a collective of one rank
/// out of several includes its wait: neither is a row. Ranks fill the nodes of `machine`.
CalibrationTable calibration_table(std::string_view kind, const trace::Trace& trace,
                                   const operator_models::Machine& machine);

/// The table of memory-bound kernels: one row for operators of the same name, shapes and types (vector_shapes.h). Its
/// time is the median of
///
///     launch + sum over its kernels of max(0, duration - empty_kernel)
///
/// as the models price a call: a kernel's duration includes that of an empty kernel, but no launch.
/// Operators that move less than the memory does during an empty kernel are not rows: their time is their launch. Their
/// number is reported, and so are kernels of unknown operators.
CalibrationTable vector_table(const trace::Trace& trace, const operator_models::Machine& machine);

/// REQUIRES: not empty.
double median_of(std::vector<int64_t> ns);

}  // namespace planner::replay
