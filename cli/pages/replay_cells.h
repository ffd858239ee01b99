// What cells of a replay's tables have in common.
#pragma once

#include "cli/report/report.h"
#include "planner/replay/measured.h"

namespace cli {

using planner::replay::Measured;

inline double in_seconds(int64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// The number of the rank whose trace stands at `at`.
inline int64_t rank_of(const Measured& m, size_t at) { return *m.trace[at].rank; }

}  // namespace cli
