#include "planner/search/parts.h"

#include <algorithm>

namespace planner {
namespace {

constexpr double kParts = 512;          // that a space is cut into: enough for many threads
constexpr double kPartsOfShard = 256;   // so many that all shards have about the same to cost
constexpr double kMostParts = 1 << 18;  // each shard passes by all of them

// Multiples of the golden ratio lie evenly between whole numbers, however many there are (Weyl's sequence).
int64_t turn(int64_t round, int64_t shards) {
  const uint64_t fraction = static_cast<uint64_t>(round) * 0x9e3779b97f4a7c15 >> 32;
  return static_cast<int64_t>(fraction * static_cast<uint64_t>(shards) >> 32);
}

int64_t part_of(int64_t round, int64_t shard, int64_t shards) {
  return round * shards + (shard + turn(round, shards)) % shards;
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

int64_t shard_of(int64_t part, int64_t shards) {
  return (part % shards + shards - turn(part / shards, shards)) % shards;
}

Parts::Parts(const SearchOptions& options, const Unfinished* from) : shard_(options.shard), shards_(options.shards) {
  if (!from) return;
  begun_ = from->begun;
  first_round_ = from->next_part / shards_;
}

int64_t Parts::claim() {
  const int64_t n = claimed_.fetch_add(1, std::memory_order_relaxed), begun = static_cast<int64_t>(begun_.size());
  return n < begun ? begun_[static_cast<size_t>(n)].part : part_of(first_round_ + n - begun, shard_, shards_);
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
  return {.next_part = part_of(first_round_ + std::max<int64_t>(0, n - before), shard_, shards_),
          .begun = std::move(begun)};
}

}  // namespace planner
