// Tables of measured embedding lookups: sums of several rows for each sample, and their backward pass.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// Columns `table_rows,dim,samples,pooling,backward,time_us`, with perhaps `precision` (fp32 where nobody says it) and
/// `distinct`, the rows of the table that are used; without it indices are even draws. Dimensions: the first four.
void read_lookups(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                  dsl::Diagnostics& diagnostics);

}  // namespace operator_models
