#include "planner/search/parts.h"

#include <algorithm>
#include <utility>

namespace planner {
namespace {

constexpr double kParts = 512;          // that a space is cut into: enough for many threads
constexpr double kPartsOfShard = 256;   // enough for all shards to have about the same to cost
constexpr double kMostParts = 1 << 18;  // each shard passes by all of them

// Multiples of the golden ratio lie evenly between whole numbers, however many there are (Weyl's sequence).
int64_t turn(int64_t round, int64_t shards) {
  const uint64_t fraction = static_cast<uint64_t>(round) * 0x9e3779b97f4a7c15 >> 32;
  return static_cast<int64_t>(fraction * static_cast<uint64_t>(shards) >> 32);
}

}  // namespace

size_t split_depth(const dsl::Space& space, const std::vector<size_t>& order, int64_t shards) {
  const double wanted =
      shards == 1 ? kParts : std::clamp(kPartsOfShard * static_cast<double>(shards), kParts, kMostParts);
  double parts = 1;
  size_t depth = 0;
  const size_t most = space.together().value_or(space.items().size());  // lengths of a candidate stay in one part
  while (depth < most && parts < wanted) {
    const dsl::OpenItem& item = space.items()[order[depth++]];
    if (item.is_choice) parts *= item.values.empty() ? 2 : static_cast<double>(item.values.size());
  }
  return depth;
}

int64_t shard_of(int64_t card, int64_t shards) {
  return (card % shards + shards - turn(card / shards, shards)) % shards;
}

WalkParts::WalkParts(const Unfinished* from, std::vector<int64_t> dealt) : dealt_(std::move(dealt)) {
  if (!from) return;
  begun_ = from->begun;
  first_ = dealt_.empty() ? from->next_part : std::ranges::lower_bound(dealt_, from->next_part) - dealt_.begin();
}

// Behind its own parts stand those behind all.
int64_t WalkParts::part_at(int64_t place) const {
  const int64_t behind = place - static_cast<int64_t>(dealt_.size()) + 1;
  if (dealt_.empty()) return place;
  return behind > 0 ? dealt_.back() + behind : dealt_[static_cast<size_t>(place)];
}

int64_t WalkParts::claim() {
  const int64_t n = claimed_.fetch_add(1, std::memory_order_relaxed), begun = static_cast<int64_t>(begun_.size());
  return n < begun ? begun_[static_cast<size_t>(n)].part : part_at(first_ + n - begun);
}

int64_t WalkParts::walked(int64_t part) const {
  for (const Begun& p : begun_)
    if (p.part == part) return p.candidates;
  return 0;
}

Unfinished WalkParts::left(std::vector<Begun> begun) const {
  const int64_t n = claimed_.load(), before = static_cast<int64_t>(begun_.size());
  if (n < before) begun.insert(begun.end(), begun_.begin() + n, begun_.end());
  std::sort(begun.begin(), begun.end());
  return {.next_part = part_at(first_ + std::max<int64_t>(0, n - before)), .begun = std::move(begun)};
}

}  // namespace planner
