// A fit may ask for more than a field of a catalogue file may say: rows that are no measurements, and few of them.
#pragma once

#include <string>
#include <vector>

#include "operator_models/calibration.h"

namespace operator_models {

/// Moves every number that is outside its field's bounds to the nearest one within; returns the paths of these fields
/// ("collective.nvlink-all-reduce.relative_error").
std::vector<std::string> move_into_bounds(Calibration& calibration);

}  // namespace operator_models
