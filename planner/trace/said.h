// Facts about a run's collectives in its files.
//
// The first source that has a fact is used: the kernel's own arguments ("Collective name", "In msg nelems"); those of
// the operator that launched it (`record_param_comms`); in older traces the annotations and operators around its launch
// ("nccl:all_to_all" with the shapes of its inputs), innermost first. The kind may also come from the kernel's name.
// PUSH and PULL are of the group of their key.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "planner/trace/collective_kinds.h"
#include "planner/trace/operators.h"
#include "planner/trace/trace.h"

namespace planner::trace {

struct CollectiveFacts {
  std::string name, group, members;  // from arguments; "": they do not have it
  CollectiveKind kind = CollectiveKind::unknown;
  int64_t group_size = -1, bytes_in = -1, bytes_out = -1;  // of the rank's own buffers; -1: unknown
};

class Sayings {
 public:
  /// `rank` outlives it.
  explicit Sayings(const RankTrace& rank);

  /// Returns the facts about a communication kernel.
  CollectiveFacts of(size_t kernel) const;
  /// Returns the arguments of a collective: the kernel's own, or those of the operator that launched it; null: none.
  const Detail* arguments_of(size_t kernel) const;

 private:
  void listen_around(size_t kernel, CollectiveFacts& said) const;

  const RankTrace& rank_;
  mutable std::optional<Operators> operators_;  // made if arguments do not suffice
  std::unordered_map<int64_t, const Detail*> by_external_;
};

/// Marks kernels as communication if their arguments show it but their names do not. REQUIRES: `launched_by`.
void mark_collectives(RankTrace& rank);

}  // namespace planner::trace
