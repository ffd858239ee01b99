// Tables of measured fused attention.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// Layouts: docs/calibrating.md. Dimensions: batch, heads, kv_heads, keys; head_dim groups alone.
void read_attentions(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                     dsl::Diagnostics& diagnostics);

}  // namespace operator_models
