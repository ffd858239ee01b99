#include "planner/search/shared.h"

namespace planner {

uint64_t SharedParts::next_id() {
  const std::lock_guard lock(mutex_);
  return next_id_++;
}

std::shared_ptr<Blocks> SharedParts::blocks(std::span<const uint64_t> key) {
  const std::lock_guard lock(mutex_);
  if (bytes_ > kMostBytes) blocks_.clear(), bytes_ = 0;
  bool is_new = false;
  std::shared_ptr<Blocks>& found = blocks_.at(key, is_new);
  if (is_new) {
    found = std::make_shared<Blocks>();
    found->id = next_id_++;
  }
  return found;
}

namespace {

size_t bytes_of(const Blocks& made) {
  size_t bytes = sizeof made;
  for (const Block& block : made.costed.workload.blocks)
    bytes += sizeof(Block) + sizeof(CostedBlock) + sizeof(BlockHoldings) + block.weights.capacity() * sizeof(Weight);
  return bytes;
}

}  // namespace

void SharedParts::note(const Blocks& made) {
  const std::lock_guard lock(mutex_);
  bytes_ += bytes_of(made);
}

std::shared_ptr<BlockRange> SharedParts::range(std::span<const uint64_t> key) {
  const std::lock_guard lock(mutex_);
  if (range_bytes_ > kMostRangeBytes) ranges_.clear(), range_bytes_ = 0;
  bool is_new = false;
  std::shared_ptr<BlockRange>& found = ranges_.at(key, is_new);
  if (is_new) {
    found = std::make_shared<BlockRange>();
    found->id = next_id_++;
  }
  return found;
}

void SharedParts::note(const BlockRange& made) {
  const std::lock_guard lock(mutex_);
  range_bytes_ += sizeof made + made.least.size() * 2 * (sizeof(BlockAmounts) + sizeof(BlockTimes));
  if (made.like && made.like.use_count() == 1) range_bytes_ += bytes_of(*made.like);
}

}  // namespace planner
