// A fitted calibration as the piece of YAML that a catalogue file holds.
#pragma once

#include "dsl/node.h"
#include "operator_models/calibration.h"

namespace operator_models {

/// The fields of `fitted` that differ from `base` (whole entries of tables that `base` lacks), as nested nodes with
/// four significant digits and units. Read with `base` as what it extends, it gives `fitted` up to that rounding.
dsl::Node difference(const Calibration& fitted, const Calibration& base);

/// The whole file: `extends: NAME`, the difference, and one comment line of provenance on each entry that changed.
dsl::Node fragment(const Calibration& fitted, const Calibration& base, const std::string& provenance);

}  // namespace operator_models
