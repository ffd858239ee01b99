// What layouts of one job differ in, and how well measured changes of it are known.
//
//     variance of ln(measured / planned) of one layout over that of another = sum over traits t: sd_t^2 d_t
//
// d_t: doublings of a degree between the two, or 1 where they differ. sd_t: error_model.h, ChangeErrors.
#pragma once

#include <span>

#include "planner/scenario/error_model.h"
#include "planner/scenario/scenario.h"

namespace planner {

struct LayoutTrait {
  const char* name;
  double ChangeErrors::*sd;
  double (*apart)(const Parallelism& a, const Parallelism& b);
};
std::span<const LayoutTrait> layout_traits();

/// REQUIRES: two layouts of one job that differ.
double change_variance(const ChangeErrors& errors, const Parallelism& a, const Parallelism& b);

}  // namespace planner
