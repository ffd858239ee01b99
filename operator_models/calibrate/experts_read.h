// Tables of a rank's experts: the layer of a mixture behind its router, as inference engines time it.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// Layout: docs/calibrating.md. Dimensions: the layer (hidden x inner x top-k x experts), and for groups alone tp, ep
/// and tokens. Rows of uneven loads are passed over: what the fullest rank got is not said.
void read_experts(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                  dsl::Diagnostics& diagnostics);

}  // namespace operator_models
