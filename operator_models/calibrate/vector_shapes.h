// What a kernel of a name moves, and the samples that the layouts of vector_read.cc make of it.
#pragma once

#include <optional>
#include <string_view>

#include "operator_models/calibrate/sample.h"

namespace operator_models {

/// One name of the tables: its kind, and the operands of `rows * columns` elements that the forward kernel reads and
/// writes and that the backward kernel does; 0, 0: backward is no kernel of its own.
struct VectorName {
  std::string_view name;
  VectorKind kind;
  double reads, writes, backward_reads, backward_writes;
};
const VectorName* find_vector_name(std::string_view name);
/// "add, addu, ..." for a hint.
std::string vector_names();

/// The operator: operands of `elements` elements of `bytes` each.
Vector vector_of(const VectorName& name, double elements, double bytes, int64_t width, bool backward);

}  // namespace operator_models
