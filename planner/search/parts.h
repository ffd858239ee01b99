// Who walks which part of a space: shards are dealt the parts like cards, and threads take those of a shard one after
// the other, whoever is free.
#pragma once

#include <atomic>
#include <optional>

#include "planner/search/search.h"

namespace planner {

/// Returns how many of the first levels make the parts of a walk: about as many parts as are worth it, and the same for
/// any number of threads. `order`: the items by level.
size_t split_depth(const dsl::Space& space, const std::vector<size_t>& order, int64_t shards);

/// Returns which of `shards`, from 0, walks a part. Of each `shards` parts that follow one another every shard has one,
/// and which one turns from group to group: what comes back at every so many parts (a value of a choice) is no shard's
/// alone, so that all have about the same to cost.
int64_t shard_of(int64_t part, int64_t shards);

class Parts {
 public:
  /// Holds the parts of the options' shard that `from` has left; null: all of them.
  Parts(const SearchOptions& options, const Unfinished* from);

  /// Returns the number of the next part, larger than all before. It may lie behind the last part of the space.
  int64_t claim();
  /// Returns how many candidates of a part were walked before the stop.
  int64_t walked(int64_t part) const;
  /// Returns what is left to do. REQUIRES: nobody claims any more. `begun` are parts that were claimed and are not
  /// done.
  Unfinished left(std::vector<Begun> begun) const;

 private:
  std::vector<Begun> begun_;  // before the stop
  int64_t shard_ = 0, shards_ = 1, first_round_ = 0;
  std::atomic<int64_t> claimed_{0};
};

}  // namespace planner
