// `trainplan replay --advice`: the standard what-ifs, each equivalent to its flag, ranked by their gain.
#pragma once

#include <vector>

#include "dsl/diagnostic.h"
#include "planner/replay/measured.h"

namespace cli {

/// Returns them, the largest gain first; those with which the run waits for itself are left out. Warned: a name
/// that --scale-op cannot hold. REQUIRES: `m` is replayed.
std::vector<planner::replay::Advice> advice_of(const planner::replay::Measured& m, dsl::Diagnostics& diagnostics);

}  // namespace cli
