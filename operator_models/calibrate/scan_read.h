// Tables of measured recurrent mixers, and of the choice of keys.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// Layouts: docs/calibrating.md. A time of forward and backward together becomes that of backward, where the table has
/// the forward pass of the same shape. Dimensions: batch, heads, length; rule groups alone.
void read_scans(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                dsl::Diagnostics& diagnostics);

/// Columns `batch,heads,queries,keys,head_dim,top_k,backward,time_us`, or a table that times scores and choice apart:
/// the scores alone, and the sum where both were measured. Dimensions: batch, queries, keys.
void read_selections(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                     dsl::Diagnostics& diagnostics);

}  // namespace operator_models
