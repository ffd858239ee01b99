// Who walks which part of a space: threads take the parts of a shard one after the other, whoever is free.
#pragma once

#include <atomic>
#include <optional>

#include "planner/search/search.h"

namespace planner {

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
  int64_t first_ = 0, stride_ = 1;
  std::atomic<int64_t> claimed_{0};
};

}  // namespace planner
