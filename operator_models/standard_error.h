// One standard error of a figure whose calibration row states none. A row's own `relative_error` is used before it.
#pragma once

#include "operator_models/calibration.h"

namespace operator_models {

/// measured, interpolated, datasheet, assumed: about the median of what shipped rows of that provenance state (6, 51,
/// 27 and 199 of them: 0.05, 0.10, 0.15, 0.30). No shipped row is extrapolated; its error lies between a fit and a
/// figure that is carried over: a step outside the grid doubles the fit's.
inline constexpr std::array kStandardErrors{0.05, 0.1, 0.2, 0.15, 0.3};  // in the order of Provenance
static_assert(kStandardErrors.size() == kProvenanceNames.size());

constexpr double standard_error(Provenance provenance) { return kStandardErrors[static_cast<size_t>(provenance)]; }

}  // namespace operator_models
