// Shared by the threads of one walk: the blocks, which are expensive to build.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>

#include "planner/search/block_range.h"
#include "planner/search/calls.h"
#include "planner/search/memo.h"

namespace planner {

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
  WordMemo<std::shared_ptr<Blocks>> blocks_;
  WordMemo<std::shared_ptr<BlockRange>> ranges_;
  std::unordered_multimap<uint64_t, std::shared_ptr<const Blocks>> likes_;  // of the ranges, by the hash of their words
  size_t bytes_ = 0, range_bytes_ = 0;                                      // of the blocks, of the ranges
  uint64_t next_id_ = 1;
  std::atomic<uint64_t> forgotten_ = 0;
};

}  // namespace planner
