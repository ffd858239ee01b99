// The passes of dPRO that change computation (Hu et al. 2022, section 5.2), as changes of a traced run's graph.
//
//     mixed precision    single-precision kernels that multiply take `matrix_factor` of their time; others take half of
//                        their time above an empty kernel
//     operator fusion    element-wise kernels that follow one another in a stream and a phase become one, unless
//     another
//                        stream or a host waits between them: no launch and no gap. If the second kernel reads a tensor
//                        as large as the first writes, it is assumed to be the same. That tensor is not read again, and
//                        it is not written if the second kernel overwrites it
//     accumulation       the forward and the backward pass run `parts` times, each on its part of the batch: time above
//     an
//                        empty kernel is divided; the host repeats all its work; the last part reduces
//     recomputation      the kernels of a block's forward pass, and the host time of their launches, are repeated
//                        before the first kernel of its backward pass
//
// The duration of an empty kernel is that of the shortest kernel of the rank with a duration above zero.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "planner/replay/replayed.h"
#include "planner/replay/step_work.h"

namespace planner::replay {

/// A part of the forward pass; the first parts are recomputed before their backward pass.
struct ForwardBlock {
  size_t first = 0, last = 0;  // units
  double kept_bytes = 0;       // for the backward pass
  double input_bytes = 0;      // of its first unit: kept if the block is recomputed
};

/// Returns at most `blocks` blocks of the forward pass of a part of the batch, which keep about equal bytes each. If
/// the bytes are unknown, blocks have equal numbers of units.
std::vector<ForwardBlock> blocks_of(const Round& round, size_t blocks);

/// How many blocks recomputation usually has: the root of the units (Chen et al. 2016, section 4.1).
size_t usual_blocks(const Round& round);

/// Returns the peak of kept bytes if the first blocks are recomputed. When the backward pass is at a block, the blocks
/// before it keep their bytes, the block itself has all of its own, and the blocks behind it are done.
double kept_bytes(const std::vector<ForwardBlock>& blocks, size_t recomputed);

struct PassEdits {
  std::optional<double> matrix_factor = {};  // nullopt: the precision stays
  bool fuses_operators = false;
  int parts = 1;                      // of the batch
  size_t blocks = 0, recomputed = 0;  // of the forward pass; how many of them are computed again

  bool empty() const { return !matrix_factor && !fuses_operators && parts == 1 && recomputed == 0; }
  bool operator==(const PassEdits&) const = default;
};

/// Work that a rank repeats in one of its steps: its first and its last node.
struct RepeatRange {
  size_t rank = 0, step = 0;
  uint32_t first = 0, last = 0;
  bool of_batch = false;  // another part of the batch; else a block of it
};

/// What came of them.
struct PassesCame {
  size_t halved = 0, fused = 0, repeated = 0;  // kernels
  size_t recomputed = 0;                       // blocks
  std::vector<RepeatRange> repeats;
};

/// By rank.
using TraceWork = std::vector<RankWork>;
TraceWork work_of(const trace::Trace& trace, const trace::RankSteps& steps);

/// Returns whether mixed precision changes a kernel: it takes single precision, forward or backward.
bool takes_single(const trace::RankTrace& rank, const PhaseWork& work);
/// Returns whether operator fusion may make it one with its neighbour.
bool is_elementwise(const trace::RankTrace& rank, const PhaseWork& work);

/// Inserts the repeated work on one rank: all parts but the last before its forward pass, blocks before their backward
/// pass. Times are the current ones of the graph.
std::vector<RepeatRange> repeat(const PassEdits& edits, const trace::RankTrace& rank, size_t number,
                                const RankWork& work, Replayed& replayed);

PassesCame apply(const PassEdits& edits, const trace::Trace& trace, const TraceWork& work, Replayed& replayed);

}  // namespace planner::replay
