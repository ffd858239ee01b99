// All sharders on the same tables, and the local searches that go on from the best of them.
//
// The six sharders of Lin et al. (2024), table III: whole tables dealt by an index or by a cost.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>

#include "planner/tables/local_search.h"
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

/// A placement and what it comes to.
struct Outcome {
  std::string name;
  std::string how;  // the sharder's formula, or what a search may do
  Placement placement;
  Loads loads;
  TableStepParts step;
  bool fits = true;
};

struct Comparison {
  PlacementProblem problem;
  std::vector<Outcome> outcomes;  // sharders as in table III, then the local searches
  size_t best = 0;                // the least step of those that fit; of equal ones the first; of none the last
  bool fits() const { return outcomes[best].fits; }
};

struct CompareOptions {
  SearchEffort effort;
  bool cuts = true;  // whether the last search may cut tables
};

inline constexpr const char* kLocalSearch = "local-search";
inline constexpr const char* kSplitSearch = "split-search";

Comparison compare(std::vector<Table> tables, const Site& site, const CompareOptions& options, const Watch& watch = {});

/// Diagnosed: tables that all ranks together have no room for (an error); warned of: tables that no rank alone has.
void check_room(const std::vector<Table>& tables, const Site& site, dsl::Diagnostics& diagnostics);

}  // namespace planner::tables
