// Differences between layouts of one job, and the measured uncertainty of such changes.
//
//     variance of ln(measured / planned) of one layout over that of another = sum over traits t: sd_t^2 d_t
//
// d_t: doublings of a degree between the two, or 1 where they differ. sd_t: software.errors.changes, in the order of
// the table; kUnknownChange where the list is shorter.
#pragma once

#include <span>

#include "planner/scenario/scenario.h"

namespace planner {

enum class TraitKind { any, degree, word };
struct LayoutTrait {
  const char* name;
  TraitKind kind;
  double (*level)(const Parallelism&);  // a degree's doublings, a word's number in its list

  double apart(const Parallelism& a, const Parallelism& b) const;
};
std::span<const LayoutTrait> layout_traits();

/// What all traits together came to when they were first fitted.
inline constexpr double kUnknownChange = 0.04;
/// REQUIRES: two layouts of one job that differ.
double change_variance(std::span<const double> deviations, const Parallelism& a, const Parallelism& b);

}  // namespace planner
