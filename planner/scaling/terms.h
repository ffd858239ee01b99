// The functions that measurements are fitted with, under the names of this folder (operator_models/pmnf.h).
#pragma once

#include "operator_models/pmnf.h"

namespace planner::scaling {

using operator_models::Factor;
using operator_models::Fraction;
using operator_models::lowest_terms;
using operator_models::Pmnf;
using operator_models::Term;
using operator_models::text;

}  // namespace planner::scaling
