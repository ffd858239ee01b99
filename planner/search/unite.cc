#include "planner/search/unite.h"

#include <cmath>

#include "planner/plan/breakdown.h"
#include "planner/plan/uncertainty.h"

namespace planner {
namespace {

// Errors of one kind point the same way in both steps, and cancel. Of what the operators do not explain half the
// variance is taken to be common to all layouts of a problem.
double difference_error(const KindErrors& a, const KindErrors& b) {
  double squares = (a.software * a.software + b.software * b.software) / 2;
  for (size_t i = 0; i < a.kinds.size(); ++i) squares += (a.kinds[i] - b.kinds[i]) * (a.kinds[i] - b.kinds[i]);
  return std::sqrt(squares);
}

bool tied(const Found& a, const Found& b, bool timed) {
  if (!timed || a.objective * b.objective <= 0) return a.objective == b.objective;
  return are_tied(a.objective, a.results.errors, b.objective, b.results.errors);
}

}  // namespace

bool are_tied(double goal_a, const KindErrors& a, double goal_b, const KindErrors& b) {
  return std::fabs(std::log(goal_a / goal_b)) <= kTenthPercentile * difference_error(a, b);
}

void mark_ties(std::vector<Found>& plans, bool timed) {
  size_t first = 0;  // of the group
  for (size_t i = 0; i < plans.size(); ++i) {
    if (i > 0 && !tied(plans[first], plans[i], timed)) first = i;
    plans[i].tied = i > first ? first + 1 : 0;
    if (i > first) plans[first].tied = first + 1;
  }
}

SearchResult conclude(Collector all, double base, bool timed) {
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
  mark_ties(result.plans, timed);
  return result;
}

SearchResult unite(std::span<const SearchResult> parts, const SearchOptions& options, bool timed) {
  Collector all(options);
  for (const SearchResult& part : parts) all.merge(part);
  return conclude(std::move(all), 0, timed);
}

}  // namespace planner
