// Operator lists of measured training iterations.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// Layouts (docs/calibrating.md): a trace of PyTorch operators (name, target, input_shapes, output_shape, fw_ms,
/// bw_ms), and one operator a row (name, kind, shape columns, time). The backward pass of a product is two products of
/// half its time each. Dimensions: run; errors also by op
/// ("large" from 3e10 FLOP or 16 million elements on) and pass. Operators without an algorithmic cost (views, sizes)
/// are passed over. Diagnosed besides what every table is: rows of more than one GPU, a shape that is none.
void read_iterations(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                     dsl::Diagnostics& diagnostics);

}  // namespace operator_models
