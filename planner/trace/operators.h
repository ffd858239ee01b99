// Which operator a thread was in, at any time.
#pragma once

#include <unordered_map>
#include <vector>

#include "planner/trace/trace.h"

namespace planner::trace {

/// Operators and annotations of a rank's threads, which nest.
class Operators {
 public:
  explicit Operators(const RankTrace& rank);

  /// Returns the innermost one of a thread at a time; null if there is none.
  const Event* at(uint32_t lane, int64_t time_ns) const;
  /// Returns all of them, the innermost first.
  std::vector<const Event*> around(uint32_t lane, int64_t time_ns) const;

 private:
  struct Nested {
    size_t event = 0;
    size_t around = kNobody;  // place of the one that contains it
  };
  static constexpr size_t kNobody = SIZE_MAX;
  /// The place in `all` of the innermost one; kNobody if there is none.
  size_t innermost(const std::vector<Nested>& all, int64_t time_ns) const;

  const RankTrace& rank_;
  std::unordered_map<uint32_t, std::vector<Nested>> threads_;  // by begin
};

}  // namespace planner::trace
