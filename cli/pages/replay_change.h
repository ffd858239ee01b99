// What changes make of the step, as lines and tables of the page of `trainplan replay`.
#pragma once

#include <string>

#include "cli/pages/replay_cells.h"

namespace cli {

/// "step 607.0 ms -> 304.0 ms (-49.9 %)"; "": nothing was changed.
std::string change_line(const Measured& m);
/// The same as a map; null: nothing was changed.
Data change_data(const Measured& m);

/// What was tried, the largest gain first; no rows: nobody asked.
Table advice_rows(const Measured& m);

}  // namespace cli
