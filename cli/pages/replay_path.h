// The critical path as tables of the page of `trainplan replay`.
#pragma once

#include "cli/pages/replay_cells.h"

namespace cli {

/// Piece by piece; times from its begin.
Table path_rows(const Measured& m);

/// Its largest parts.
Table path_shares(const Measured& m);

}  // namespace cli
