// What the threads of one walk share: the blocks, which are expensive to build.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "planner/search/block_range.h"
#include "planner/search/calls.h"
#include "planner/search/memo.h"
#include "planner/search/text_numbers.h"
#include "planner/workload/cost.h"
#include "planner/workload/partition.h"

namespace planner {

/// Holds layers, embedding and head of some candidates: what they hold, and, where a candidate fits, their times.
/// Whoever wants them calls `std::call_once(made, ...)`, and of the times `std::call_once(timed, ...)`; from then on
/// nothing changes but what stands behind the mutex.
struct Blocks {
  uint64_t id = 0;  // never given twice
  std::once_flag made, timed;
  CostedWorkload costed;  // without operators, and of what is saved the sum alone
  std::vector<BlockHoldings> holdings;
  std::vector<BlockCalls> calls;  // by block, with the times, where somebody asks for what is hidden
  bool priced = true;             // operator_models::Cost, of all operators
  bool shared = true;             // its collectives run in groups that the key names: other candidates may have it
  std::mutex step_ops;            // for `costed.workload.classes`, where a stage's step operators are made
};

class SharedParts {
 public:
  static constexpr size_t kMostBytes = 96 << 20;       // of blocks that are kept
  static constexpr size_t kMostRangeBytes = 48 << 20;  // and of ranges

  uint64_t number_of(const std::string& text) { return texts_.of(text); }
  TextNumbers& texts() { return texts_; }
  /// Returns a number that was never returned before.
  uint64_t next_id();
  /// Returns the blocks of a key, made or not. Who makes them calls `note`.
  std::shared_ptr<Blocks> blocks(std::span<const uint64_t> key);
  void note(const Blocks& made);
  /// Returns the range of a key, made or not, likewise. Ranges of one walk have keys of one length.
  std::shared_ptr<BlockRange> range(std::span<const uint64_t> key);
  /// Ranges whose blocks are the same but for amounts and times refer to the same ones afterwards.
  void note(BlockRange& made);
  /// Counts how often all that is kept was forgotten, for who has references to it: they hold it in memory.
  uint64_t forgotten() const { return forgotten_.load(std::memory_order_relaxed); }

 private:
  void share_like(BlockRange& made);

  std::mutex mutex_;
  TextNumbers texts_;
  Memo<std::shared_ptr<Blocks>> blocks_;
  Memo<std::shared_ptr<BlockRange>> ranges_;
  std::unordered_multimap<uint64_t, std::shared_ptr<const Blocks>> likes_;  // of the ranges, by the hash of their words
  size_t bytes_ = 0, range_bytes_ = 0;                                      // of the blocks, of the ranges
  uint64_t next_id_ = 1;
  std::atomic<uint64_t> forgotten_ = 0;
};

}  // namespace planner
