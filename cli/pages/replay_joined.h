// Execution traces beside events, as a table of the page of `trainplan replay`.
#pragma once

#include "cli/pages/replay_cells.h"

namespace cli {

/// What of each was found among the events of its rank; no rows: none was given.
Table joined_rows(const Measured& m);

}  // namespace cli
