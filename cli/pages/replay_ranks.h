// Steps of ranks, and their streams, as tables of the page of `trainplan replay`.
#pragma once

#include "cli/pages/replay_cells.h"

namespace cli {

/// A row for each step of each rank: how long it took, and what with.
Table rank_rows(const Measured& m);

/// The same of what was launched in each step, in the time of that alone.
Table launched_rows(const Measured& m);

/// Ranks, or steps, as others predict them; no rows: nobody asked.
Table unseen_rows(const Measured& m);

/// A row for each stream of each rank's devices.
Table stream_rows(const Measured& m);

}  // namespace cli
