// Tables of measured matrix multiplications.
#pragma once

#include "operator_models/calibrate/kinds.h"

namespace operator_models {

/// Layouts: docs/calibrating.md. Dimensions: m, n, k, and those of the columns that tell rows apart (layout, op).
void read_gemms(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                dsl::Diagnostics& diagnostics);

}  // namespace operator_models
