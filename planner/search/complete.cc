#include "planner/search/complete.h"

#include <algorithm>

#include "planner/plan/plan.h"
#include "planner/search/candidate.h"

namespace planner {
namespace {

// The candidate at a place of a walk, with all its lengths.
const Scenario& seek(const OpenScenario& open, dsl::Cursor& cursor, Candidate& candidate, std::vector<uint32_t> at) {
  if (const std::optional<size_t> together = open.space.together()) std::fill(at.begin() + *together, at.end(), 0);
  cursor.seek(at);
  return candidate.arrive(cursor);
}

}  // namespace

void complete(const OpenScenario& open, SearchResult& result) {
  dsl::Cursor cursor(open.space);
  Candidate candidate(open);
  for (std::vector<Found>* kept : {&result.plans, &result.pareto})
    for (Found& found : *kept) {
      if (found.results.hidden_comm != kNotYet) continue;
      const Scenario& s = seek(open, cursor, candidate, found.position.at);
      found.results.hidden_comm = results_of(make_unchecked_plan(s)).hidden_comm;
    }
}

}  // namespace planner
