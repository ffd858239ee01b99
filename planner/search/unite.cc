#include "planner/search/unite.h"

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
SearchResult conclude(Collector all, double base) {
  SearchResult result = std::move(all.result);
  result.plans = all.take_plans();
  result.feasible_gpus.clear();
  const double relative_to = base > 0 ? base : all.base_throughput();
  for (std::vector<Found>* rows : {&result.plans, &result.pareto})
    for (Found& found : *rows)
      found.results.scaling_efficiency =
          found.results.tokens_per_second / static_cast<double>(found.results.gpus) / relative_to;
  result.fewest_throughput = all.base_throughput();
  for (const auto& [gpus, throughput] : all.throughput()) result.feasible_gpus.push_back(gpus);
  return result;
}

SearchResult unite(std::span<const SearchResult> parts, const SearchOptions& options) {
  Collector all(options);
  for (const SearchResult& part : parts) all.merge(part);
  return conclude(std::move(all), 0);
}

}  // namespace planner
