// The programs of all stages as one list: what runs when does not depend on how long it takes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/schedule/program.h"

namespace planner {

/// A step of a stage, and the weight gradient that follows it on the stage. Its times are numbers into those of a play:
/// those of work w of part q stand at 3q + w, behind them a 0, then the sums of joined operations. Arrivals are places
/// in rows; what a step has less of inputs and outputs than two reads a 0, and writes where nobody reads.
struct Move {
  uint32_t stage = 0, held = 0, behind = 0;
  std::array<uint32_t, 2> inputs{}, outputs{};
  std::array<uint32_t, 2> links{};  // of the outputs: 2 * stage, and 1 more to the stage before; the last: of none
};
using Moves = std::vector<Move>;

/// Steps stand behind those whose results they need, and as near to the front as that allows, so that those side by
/// side are independent. Arrivals at one pass of a part are a column; those used in the first lap are in the row
/// `first_row`, and all lists of a lap move on by a row with each.
struct Compiled {
  ProgramOf program = nullptr;
  int64_t stages = 0, microbatches = 0;  // up to `outside`: longer steps have more laps
  Moves warm_up, lap, drain;
  std::vector<std::array<uint32_t, 3>> joined;  // numbers of the times that are added
  std::vector<uint32_t> pending;                // arrivals that wait between laps
  bool joins = false;                           // some steps are of several operations
  int64_t outside = 0;
  uint32_t columns = 0, rows = 0, first_row = 0, lap_rows = 0;  // rows: in all; of what waits or arrives in a lap

  uint32_t times() const { return static_cast<uint32_t>(columns / 2 - 1) * 3 + 1; }
  /// Place of the 0 that is read, in a row; behind it what nobody reads.
  uint32_t nothing() const { return columns - 2; }
};

/// Kept for this thread: good until the next call. REQUIRES: the parts of the program are dealt in this order, `chunks`
/// to a stage.
const Compiled& compiled(ProgramOf program, PartOrder order, int64_t stages, int64_t chunks, int64_t microbatches);

}  // namespace planner
