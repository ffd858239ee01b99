// The distribution of a space's parts: shards are dealt the parts (deal.h); within a shard, each free thread takes the
// next part.
#pragma once

#include <atomic>

#include "planner/search/search_result.h"

namespace planner {

/// Returns how many of the first levels make the parts of a walk: about as many parts as are worth it, and the same for
/// any number of threads. `order`: the items by level.
size_t split_depth(const dsl::Space& space, const std::vector<size_t>& order, int64_t shards);

/// Returns which of `shards`, from 0, gets a card. Of each `shards` consecutive cards every shard gets one, in an order
/// that rotates from group to group. A value of a choice that recurs at regular intervals is thus spread over all
/// shards, so that all have about the same to cost.
int64_t shard_of(int64_t card, int64_t shards);

class WalkParts {
 public:
  /// Holds the parts that `from` has left; null: all of them. `dealt`: of a shard, as `dealt_parts` returns them;
  /// empty: it is the only one.
  explicit WalkParts(const Unfinished* from, std::vector<int64_t> dealt = {});

  /// Returns the number of the next part, larger than all before. It may lie behind the last part of the space.
  int64_t claim();
  /// Returns how many candidates of a part were walked before the stop.
  int64_t walked(int64_t part) const;
  /// Returns the work that is left. REQUIRES: no more claims. `begun` are parts that were claimed and are not done.
  Unfinished left(std::vector<Begun> begun) const;

 private:
  int64_t part_at(int64_t place) const;

  std::vector<Begun> begun_;  // before the stop
  std::vector<int64_t> dealt_;
  int64_t first_ = 0;  // place among its parts of the first that was not taken before the stop
  std::atomic<int64_t> claimed_{0};
};

}  // namespace planner
