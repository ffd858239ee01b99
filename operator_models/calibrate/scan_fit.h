// Fits of recurrent mixers, and of the choice of keys.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// Each rule's shares of the matrix peak and of the bandwidth, base and step of a chunk from forward rows, where there
/// are six and more; then a factor on the time of backward ones, of two and more.
Fitted fit_scan(const SampleSet& set, const Machine& machine);
/// Shares of the matrix peak and of the bandwidth, a base and what each query takes; a factor on the time of backward
/// rows.
Fitted fit_selection(const SampleSet& set, const Machine& machine);

}  // namespace operator_models
