#include "planner/search/parts.h"

#include <algorithm>

namespace planner {

Parts::Parts(const SearchOptions& options, const Unfinished* from) : first_(options.shard), stride_(options.shards) {
  if (!from) return;
  begun_ = from->begun;
  first_ = from->next_part;
}

int64_t Parts::claim() {
  const int64_t n = claimed_.fetch_add(1, std::memory_order_relaxed), begun = static_cast<int64_t>(begun_.size());
  return n < begun ? begun_[static_cast<size_t>(n)].part : first_ + stride_ * (n - begun);
}

int64_t Parts::walked(int64_t part) const {
  for (const Begun& p : begun_)
    if (p.part == part) return p.candidates;
  return 0;
}

Unfinished Parts::left(std::vector<Begun> begun) const {
  const int64_t n = claimed_.load(), before = static_cast<int64_t>(begun_.size());
  if (n < before) begun.insert(begun.end(), begun_.begin() + n, begun_.end());
  std::sort(begun.begin(), begun.end());
  return {.next_part = first_ + stride_ * std::max<int64_t>(0, n - before), .begun = std::move(begun)};
}

}  // namespace planner
