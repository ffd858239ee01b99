// Tables of measured kernels that are bound by memory.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// Layouts: docs/calibrating.md. Dimensions: rows, columns, model (a traced run, else the file), op. More bytes per
/// second than the memory can move, of more bytes than the cache holds, is a warning.
void read_vectors(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                  dsl::Diagnostics& diagnostics);

/// Row of the calibration that prices an operator of this kind of data: "softmax", "lookup", "update".
std::string vector_row_name(const Operator& op);

}  // namespace operator_models
