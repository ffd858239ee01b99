#include "operator_models/calibration.h"

namespace operator_models {

Calibration::Calibration(const Calibration&) = default;
Calibration::Calibration(Calibration&&) noexcept = default;
Calibration& Calibration::operator=(const Calibration&) = default;
Calibration& Calibration::operator=(Calibration&&) noexcept = default;
Calibration::~Calibration() = default;

}  // namespace operator_models
