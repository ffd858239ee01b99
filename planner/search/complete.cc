#include "planner/search/complete.h"

#include "planner/plan/plan.h"
#include "planner/search/candidate.h"

namespace planner {

void complete(const OpenScenario& open, SearchResult& result) {
  dsl::Cursor cursor(open.space);
  Candidate candidate(open);
  for (std::vector<Found>* kept : {&result.plans, &result.pareto})
    for (Found& found : *kept) {
      if (found.results.hidden_comm != kNotYet) continue;
      cursor.seek(found.position.at);
      found.results.hidden_comm = results_of(make_unchecked_plan(candidate.at(cursor))).hidden_comm;
    }
}

}  // namespace planner
