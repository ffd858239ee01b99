#include "operator_models/contention.h"

#include "operator_models/row_key.h"

namespace operator_models {

double slowdown(const Calibration& calibration, std::string_view a, std::string_view b) {
  const auto* row = row_between(calibration.contention, a, '+', b);
  if (!row) row = row_between(calibration.contention, b, '+', a);
  if (!row) row = row_named(calibration.contention, "default");
  return row ? row->slowdown : 1;
}

}  // namespace operator_models
