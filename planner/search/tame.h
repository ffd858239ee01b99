// Whether a step is a finite number for sure, before it is known: of parts that are not too large.
#pragma once

#include "planner/workload/cost.h"

namespace planner {

/// A step of parts that take fewer seconds each, and whose errors are no larger than `kTameError` times their seconds,
/// is a finite number, and so is its interval.
inline constexpr double kTameSeconds = 1e100, kTameError = 100;

bool is_tame(const StageSums& sums);
bool is_tame(const StepWide& wide);
/// Returns whether stages of such blocks are tame, however many layers they have.
bool may_be_summed(const CostedBlock& block);
/// Returns whether step operators are tame of all candidates whose step operators differ from these by what the
/// software fuses or overlaps.
bool may_be_fused(const StepWide& wide);

}  // namespace planner
