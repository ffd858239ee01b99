// All sharders on the same tables, and the local searches that go on from the best of them.
#pragma once

#include <string>

#include "planner/tables/local_search.h"
#include "planner/tables/sharders.h"

namespace planner::tables {

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
