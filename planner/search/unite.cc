#include "planner/search/unite.h"

namespace planner {
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
