#include "planner/search/shared.h"

namespace planner {

uint64_t SharedParts::number_of(const std::string& text) {
  const std::lock_guard lock(mutex_);
  return numbers_.try_emplace(text, numbers_.size()).first->second;
}

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

void SharedParts::note(const Blocks& made) {
  size_t bytes = sizeof made;
  for (const Block& block : made.costed.workload.blocks)
    bytes += sizeof(Block) + sizeof(CostedBlock) + sizeof(BlockHoldings) + block.weights.capacity() * sizeof(Weight);
  const std::lock_guard lock(mutex_);
  bytes_ += bytes;
}

}  // namespace planner
