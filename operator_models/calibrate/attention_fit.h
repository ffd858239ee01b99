// Fits of the attention models.
#pragma once

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// One surface per head width with enough forward rows (model `table`), and what the backward rows say of it; with
/// fewer, one factor on the surface that the catalogue has.
Fitted fit_attention_table(const SampleSet& set, const Machine& machine);
/// `forward`, `half_length`, `backward`, `backward_half_length` (model `fused`).
Fitted fit_attention_fused(const SampleSet& set, const Machine& machine);

}  // namespace operator_models
