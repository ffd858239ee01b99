// What two resources do to each other when they work at the same time: a small table, a row per pair.
#pragma once

#include <string_view>

#include "operator_models/calibration.h"
#include "operator_models/row_key.h"

namespace operator_models {

/// Factor on the time of both while both are busy; resources are "compute" and the names of network tiers.
/// Row "A+B" or "B+A", else "default", else 1.
inline double slowdown(const Calibration& calibration, std::string_view a, std::string_view b) {
  const auto* row = row_between(calibration.contention, a, '+', b);
  if (!row) row = row_between(calibration.contention, b, '+', a);
  return row ? row->slowdown : row_or_defaults(calibration.contention, "default").slowdown;
}

}  // namespace operator_models
