// What a kernel of a name moves, and the samples that the layouts of vector_read.cc make of it.
#pragma once

#include <string_view>

#include "operator_models/calibrate/columns.h"
#include "operator_models/calibrate/sample.h"

namespace operator_models {

/// One name of the tables: its kind, and the numbers of operands of `rows * columns` elements that the forward and the
/// backward kernel read and write. 0, 0: backward is not a separate kernel.
struct VectorName {
  std::string_view name;
  VectorKind kind;
  double reads, writes, backward_reads, backward_writes;
};
const VectorName* find_vector_name(std::string_view name);
/// "add, addu, ..." for a hint.
std::string vector_names();

/// Row of the calibration that prices an operator of this kind of data: "softmax", "lookup", "update".
std::string vector_row_name(const Operator& op);

/// The operator: operands of `elements` elements of `bytes` each.
Vector vector_of(const VectorName& name, double elements, double bytes, int64_t width, bool backward);

/// An operator in the traces of PyTorch models (NeuSight's model_op_traces): a target, shapes, a time.
struct TracedKernel {
  Vector op;  // fp32, called alone, with a width
  double seconds = 0;
  std::string name;         // "ln"
  std::string_view column;  // of the time
};

/// Returns the forward kernel of a row and the backward one if it has one. Empty if the row is not a memory-bound
/// kernel, is not fp32, is too small to tell from its launch (below a mebibyte), or is dropout that is switched off.
std::vector<TracedKernel> traced_operators(const TableColumns& columns, size_t row);

}  // namespace operator_models
