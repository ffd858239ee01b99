// What adding integers costs a collective: its samples of both kinds at the same sizes and ranks.
#pragma once

#include <optional>

#include "operator_models/calibrate/collective_cells.h"

namespace operator_models {

bool adds_integers(const Operator& op);

/// The factor on what grows with the message, least squares of the logarithms; none where no size has both.
std::optional<double> integer_factor(const Cell& cell);

}  // namespace operator_models
