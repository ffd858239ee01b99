#include "planner/search/tame.h"

#include <algorithm>

namespace planner {
namespace {

// Kernels of one that is fused, and layers of a stage, are fewer than a billion.
constexpr double kMany = 1e9;

bool are_tame(const ErrorSum& errors, double most = kTameSeconds) {
  return errors.seconds < most &&
         std::ranges::all_of(errors.kinds, [&](double error) { return error <= kTameError * errors.seconds; });
}

bool are_tame(const std::vector<Transfer>& transfers, double most) {
  return std::ranges::all_of(transfers, [&](const Transfer& t) { return t.count * t.seconds < most; });
}

bool is_tame(const StepWide& wide, double most) {
  return are_tame(wide.errors, most) && wide.optimizer + wide.serialized + wide.host < most &&
         are_tame(wide.under_backward, most) && are_tame(wide.under_forward, most) && are_tame(wide.under_host, most);
}

}  // namespace

bool is_tame(const StageSums& sums) {
  const double seconds = sums.time.forward.total() + sums.time.backward.total() + sums.time.recompute.total();
  return seconds < kTameSeconds && are_tame(sums.totals.errors);
}

bool is_tame(const StepWide& wide) { return is_tame(wide, kTameSeconds); }

bool may_be_fused(const StepWide& wide) { return is_tame(wide, kTameSeconds / kMany); }

bool may_be_summed(const CostedBlock& block) {
  const double seconds =
      block.forward.total() + block.backward.total() + block.recompute.total() + block.split.total().total();
  return seconds < kTameSeconds / kMany && are_tame(block.totals.errors, kTameSeconds / kMany);
}

}  // namespace planner
