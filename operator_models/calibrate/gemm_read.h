// Tables of measured matrix multiplications.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// Layouts: docs/calibrating.md. Dimensions: m, n, k, pass (forward, dgrad, wgrad), op (linear, bmm, grouped) and
/// model (where a table of one model's layers is a file). Rows of another precision than asked, or of another GPU,
/// are passed over; a table of which no row is of that precision is an error.
void read_gemms(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                dsl::Diagnostics& diagnostics);

/// Whether a row has more FLOP/s than the datasheet's dense peak: another precision, another GPU or another unit than
/// was said. Diagnosed at its place.
bool above_peak(double flops, double seconds, Precision precision, const Machine& machine, dsl::Span place,
                dsl::Diagnostics& diagnostics);

}  // namespace operator_models
