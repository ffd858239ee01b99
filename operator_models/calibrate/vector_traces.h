// Operators in the traces of PyTorch models (NeuSight's model_op_traces): a target, shapes, forward and backward times.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operator_models/calibrate/columns.h"

namespace operator_models {

struct Traced {
  Vector op;  // fp32, called by itself, with a width
  double seconds = 0;
  std::string name;         // "ln"
  std::string_view column;  // of the time
};

/// The forward kernel of a row and the backward one where it has one; none: no kernel bound by memory, or of another
/// type than fp32, too little to tell it from its launch (below a mebibyte), or dropout that is switched off.
std::vector<Traced> traced_operators(const Columns& columns, size_t row);

}  // namespace operator_models
