// The programs of all stages as one list: the order does not depend on the durations.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/schedule/program.h"

namespace planner {

/// A step of a stage, and the weight gradient that follows it on the stage. Its times are indices into those of a play:
/// work w of part q is at 3q + w; then follow a 0 and the sums of joined operations. Arrivals are indices into rows. A
/// missing input reads a 0; a missing output writes a place that is never read. A step with several inputs or outputs
/// has a zero-time move for each additional one, before or after it.
struct StageMove {
  uint16_t stage = 0, held = 0, behind = 0;
  uint16_t link = 0;  // of the output: 2 * stage, and 1 more to the stage before; the last: of none
  uint32_t input = 0, output = 0;
};
static_assert(16 * kMostStages < (1 << 16));  // six times and some sums of each stage
using StageMoves = std::vector<StageMove>;

/// Steps stand behind those whose results they need, and as near to the front as that allows, so that those side by
/// side are independent. Arrivals at one pass of a part are a column; those used in the first lap are in the row
/// `first_row`, and all lists of a lap move on by a row with each.
struct CompiledProgram {
  ProgramOf program = nullptr;
  int64_t stages = 0, microbatches = 0;  // up to `outside`: longer steps have more laps
  StageMoves warm_up, lap, drain;
  std::vector<std::array<uint32_t, 3>> joined;  // numbers of the times that are added
  std::vector<uint32_t> pending;                // arrivals that wait between laps
  int64_t outside = 0;
  uint32_t columns = 0, rows = 0, first_row = 0, lap_rows = 0;  // rows: in all; of what waits or arrives in a lap

  uint32_t times() const { return static_cast<uint32_t>(columns / 2 - 1) * 3 + 1; }
  /// Index of the 0 that is read, in a row; the index after it is never read.
  uint32_t nothing() const { return columns - 2; }
};

/// Kept for this thread: good until the next call. REQUIRES: the parts of the program are dealt in this order, `chunks`
/// to a stage.
const CompiledProgram& compiled(ProgramOf program, PartOrder order, int64_t stages, int64_t chunks,
                                int64_t microbatches);

}  // namespace planner
