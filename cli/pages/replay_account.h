// Where the steps of a trace went, as a table of the page of `trainplan replay`.
#pragma once

#include <string>

#include "cli/pages/replay_cells.h"

namespace cli {

/// The parts of a step, as means over all steps of all ranks: they sum to it.
Table account_rows(const Measured& m);

/// Lines on steps whose window is the device's.
std::vector<std::string> window_lines(const Measured& m);

}  // namespace cli
