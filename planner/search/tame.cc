#include "planner/search/tame.h"

#include <algorithm>

namespace planner {
namespace {

bool are_tame(const ErrorSum& errors) {
  return errors.seconds < kTameSeconds &&
         std::ranges::all_of(errors.kinds, [&](double error) { return error <= kTameError * errors.seconds; });
}

bool are_tame(const std::vector<Transfer>& transfers) {
  return std::ranges::all_of(transfers, [](const Transfer& t) { return t.count * t.seconds < kTameSeconds; });
}

}  // namespace

bool is_tame(const StageSums& sums) {
  const double seconds = sums.time.forward.total() + sums.time.backward.total() + sums.time.recompute.total();
  return seconds < kTameSeconds && are_tame(sums.totals.errors);
}

bool is_tame(const StepWide& wide) {
  return are_tame(wide.errors) && wide.optimizer + wide.serialized + wide.host < kTameSeconds &&
         are_tame(wide.under_backward) && are_tame(wide.under_forward) && are_tame(wide.under_host);
}

}  // namespace planner
