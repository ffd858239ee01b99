// The six sharders of Lin et al. (2024), table III: whole tables dealt by an index or by a cost.
#pragma once

#include <cstdint>
#include <random>
#include <span>

#include "planner/tables/step.h"

namespace planner::tables {

struct Sharder {
  const char* name;
  const char* formula;  // as the paper has it: x a table, E its rows, L its pooling factor, D its width
  /// The rank of a table by its index; null: by its cost.
  int64_t (*rank)(size_t index, int64_t ranks, std::mt19937_64& random);
  double (*cost)(const Table& table);
};
std::span<const Sharder> sharders();

/// By index: in the given order, whatever the memory. By cost: the largest first, onto the least loaded of the ranks
/// with room for it; of equal tables and of equal ranks the first. If no rank has room, onto the rank with most.
Placement place(const Sharder& sharder, const PlacementProblem& problem, uint64_t seed);

}  // namespace planner::tables
