// Collectives across ranks as tables of the page of `trainplan replay`: who waited for whom, and by what clocks.
#pragma once

#include <string>

#include "cli/pages/replay_cells.h"

namespace cli {

/// A row for each collective, with its prediction where there is one.
Table collective_rows(const Measured& m);

/// The same by name, the longest first.
Table collective_sum_rows(const Measured& m);
/// Of these as many as a page shows, and a line on what is not shown.
inline constexpr size_t kShownCollectives = 10;

/// Whom each rank waited for, longest first.
Table wait_rows(const Measured& m);

/// By what the clocks were put forward.
Table clock_rows(const Measured& m);

/// How far apart the clocks were. REQUIRES: some were put forward.
std::string clock_line(const Measured& m);

}  // namespace cli
