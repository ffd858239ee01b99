// One standard error of a figure whose calibration row states none. A row's own `relative_error` is used before it.
#pragma once

#include "operator_models/calibration.h"

namespace operator_models {

/// measured, interpolated, datasheet, assumed: about the median of what shipped rows of that provenance state (6, 51,
/// 27 and 199 of them: 0.05, 0.10, 0.15, 0.30). No shipped row is extrapolated; its error lies between a fit and a
/// figure that is carried over: a step outside the grid doubles the fit's.
struct StandardError {
  Provenance provenance;
  double relative_error;
};
inline constexpr std::array kStandardErrors{
    StandardError{Provenance::measured, 0.05}, StandardError{Provenance::interpolated, 0.1},
    StandardError{Provenance::extrapolated, 0.2}, StandardError{Provenance::datasheet, 0.15},
    StandardError{Provenance::assumed, 0.3}};
static_assert(kStandardErrors.size() == kProvenanceNames.size());

constexpr double standard_error(Provenance provenance) {
  for (const StandardError& row : kStandardErrors)
    if (row.provenance == provenance) return row.relative_error;
  return kStandardErrors.back().relative_error;
}

}  // namespace operator_models
