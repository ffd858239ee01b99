// Bounds of the times and bytes of the blocks of several candidates.
//
// Layers, embedding and head of some candidates: they are expensive to build, and candidates share them.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "planner/search/calls.h"
#include "planner/search/memo.h"
#include "planner/workload/costed_workload.h"
#include "planner/workload/partition.h"

namespace planner {

/// Holds layers, embedding and head of some candidates: their contents, and, if a candidate fits, their times. Users
/// call `std::call_once(made, ...)`, and for the times `std::call_once(timed, ...)`. Afterwards nothing changes but the
/// members after the mutex.
struct Blocks {
  uint64_t id = 0;  // never given twice
  std::once_flag made, timed;
  CostedWorkload costed;  // without operators; of saved tensors the sum alone
  std::vector<BlockHoldings> holdings;
  std::vector<BlockCalls> calls;  // by block, with the times, if hidden communication is requested
  bool priced = true;             // operator_models::Cost, of all operators
  bool shared = true;             // its collectives run in groups that the key names: other candidates may have it
  std::mutex step_ops;            // for `costed.workload.classes`, where a stage's step operators are made
};

/// Seconds of the whole passes of one block, for one microbatch.
/// In the order of passes_of.
using BlockTimes = std::array<double, 5>;
BlockTimes times_of(const CostedBlock& block);
/// Takes the shorter one of each pass, or the longer one.
void shorten(BlockTimes& times, const BlockTimes& other);
void lengthen(BlockTimes& times, const BlockTimes& other);

/// Amounts of one block for one microbatch, if candidates of one subtree may differ in them.
struct BlockAmounts : BlockBytes {
  double unit_bytes = 0;  // Block::saved_bytes
};

struct BlockRange {
  std::once_flag made;
  uint64_t id = 0;  // never given twice
  /// The blocks of one of them; all others are as these but for the amounts. Null: they are not, or not all of them
  /// have times that a bound may be made of, so that nothing is known.
  std::shared_ptr<const Blocks> like;
  std::vector<BlockAmounts> least, most;               // by block
  std::vector<BlockTimes> shortest, shortest_at_work;  // at work: the device alone, which need not wait for the host
};

/// Returns whether blocks hold the same: required for those of one range, which differ in free levels alone.
bool are_alike(const Blocks& a, const Blocks& b);
/// Returns all that is read of a range's blocks except amounts and times: blocks of equal words are interchangeable,
/// whatever their candidates.
KeyWords words_of(const Blocks& blocks);
/// Makes a range of the blocks of one candidate. REQUIRES: they are timed.
void start(BlockRange& range, std::shared_ptr<const Blocks> blocks);
/// Includes another range, whose blocks are of the same model.
void widen(BlockRange& range, const BlockRange& other);

/// Blocks with amounts in place of their own: parts of a plan that need nothing else of blocks are computed from them.
struct BlockImage {
  Workload workload;
  std::vector<BlockHoldings> holdings;
  std::vector<CostedBlock> times;  // whole passes count as compute

  /// Takes the blocks of a range; amounts and times are not put yet.
  void take(const Blocks& like);
  /// REQUIRES, of both: they are of a range like the blocks that were taken.
  void put(const std::vector<BlockAmounts>& amounts);
  void put(const std::vector<BlockTimes>& times);
};

}  // namespace planner
