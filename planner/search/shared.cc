#include "planner/search/shared.h"

namespace planner {
namespace {

size_t memory_of(const Blocks& made) {
  size_t bytes = sizeof made + bytes_of(made.costed.workload.blocks) + bytes_of(made.costed.blocks) +
                 bytes_of(made.holdings) + bytes_of(made.calls);
  for (const Block& block : made.costed.workload.blocks) bytes += bytes_of(block.weights) + bytes_of(block.saved);
  for (const BlockHoldings& held : made.holdings) bytes += bytes_of(held.matrices);
  return bytes;
}

}  // namespace

uint64_t SharedParts::next_id() {
  const std::lock_guard lock(mutex_);
  return next_id_++;
}

std::shared_ptr<Blocks> SharedParts::blocks(std::span<const uint64_t> key) {
  const std::lock_guard lock(mutex_);
  if (bytes_ > kMostBytes) blocks_.clear(), bytes_ = 0, ++forgotten_;
  auto [found, is_new] = blocks_.at(key);
  if (is_new) {
    found = std::make_shared<Blocks>();
    found->id = next_id_++;
  }
  return found;
}

void SharedParts::note(const Blocks& made) {
  const std::lock_guard lock(mutex_);
  bytes_ += memory_of(made);
}

std::shared_ptr<BlockRange> SharedParts::range(std::span<const uint64_t> key) {
  const std::lock_guard lock(mutex_);
  if (range_bytes_ > kMostRangeBytes) ranges_.clear(), likes_.clear(), range_bytes_ = 0, ++forgotten_;
  auto [found, is_new] = ranges_.at(key);
  if (is_new) {
    found = std::make_shared<BlockRange>();
    found->id = next_id_++;
  }
  return found;
}

void SharedParts::share_like(BlockRange& made) {
  const KeyWords words = words_of(*made.like);
  const uint64_t hash = dsl::hash_words(words);
  const auto [first, last] = likes_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (it->second == made.like || words_of(*it->second) == words) return void(made.like = it->second);
  likes_.emplace(hash, made.like);
  range_bytes_ += memory_of(*made.like);
}

void SharedParts::note(BlockRange& made) {
  const std::lock_guard lock(mutex_);
  range_bytes_ += sizeof made + made.least.size() * 2 * (sizeof(BlockAmounts) + sizeof(BlockTimes));
  if (made.like) share_like(made);
}

}  // namespace planner
