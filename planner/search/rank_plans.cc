#include "planner/search/rank_plans.h"

#include <algorithm>
#include <cmath>

#include "planner/plan/layout_traits.h"
#include "planner/plan/uncertainty.h"
#include "planner/search/collector.h"
#include "planner/search/goal.h"
#include "planner/search/search.h"

namespace planner {
namespace {

double change_error(const TieSide& a, const TieSide& b, const std::vector<double>& changes) {
  double squares = change_variance(changes, *a.layout, *b.layout);
  for (size_t i = 0; i < a.errors->kinds.size(); ++i)
    squares += (a.errors->kinds[i] - b.errors->kinds[i]) * (a.errors->kinds[i] - b.errors->kinds[i]);
  return std::sqrt(squares);
}

TieSide side_of(const Found& f) { return {f.objective, f.results.step.seconds, &f.results.errors, &f.parallelism}; }

void mark_groups(std::vector<Found>& plans, const TieLaw& law) {
  size_t first = 0;  // of the group
  for (size_t i = 0; i < plans.size(); ++i) {
    if (i > 0 && !are_tied(side_of(plans[first]), side_of(plans[i]), law)) first = i;
    plans[i].tied = i > first ? first + 1 : 0;
    if (i > first) plans[first].tied = first + 1;
  }
}

}  // namespace

TieLaw tie_law(const OpenScenario& open) {
  return {.timed = GoalCheck(open, true).timed(), .changes = open.sample.software.errors.changes};
}

bool are_tied(const TieSide& a, const TieSide& b, const TieLaw& law) {
  const bool by_goal = law.timed && a.goal * b.goal > 0;
  if (!by_goal && a.goal != b.goal) return false;
  const double ratio = by_goal ? a.goal / b.goal : a.seconds / b.seconds;
  return std::fabs(std::log(ratio)) <= kTenthPercentile * change_error(a, b, law.changes);
}

BestChoice rank_plans(std::vector<Found>& plans, const TieLaw& law, size_t top) {
  BestChoice choice;
  if (plans.empty()) return choice;
  std::ranges::sort(plans, Collector::IsBetter());
  mark_groups(plans, law);
  const auto end = std::ranges::find_if(plans.begin() + 1, plans.end(), [](const Found& f) { return f.tied != 1; });
  const auto first =
      std::min_element(plans.begin(), end, [](const Found& a, const Found& b) { return a.departures < b.departures; });
  choice.ties = static_cast<size_t>(end - plans.begin()) - 1;
  for (size_t i = 0; i < kDepartureNames.size(); ++i)
    if (first->departures[i] < plans.front().departures[i]) choice.less.push_back(kDepartureNames[i]);
  std::rotate(plans.begin(), first, first + 1);
  if (plans.size() > top) plans.resize(top);
  return choice;
}

SearchResult ranked_search(const OpenScenario& open, SearchOptions options) {
  const TieLaw law = tie_law(open);
  options.window = law.window();
  SearchResult result = search(open, options);
  if (!result.stopped) rank_plans(result.plans, law, options.top);
  return result;
}

}  // namespace planner
