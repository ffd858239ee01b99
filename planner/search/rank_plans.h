// The order in which plans are shown. Among plans that the models cannot distinguish from the best one, the most usual
// comes first (search_result.h).
#pragma once

#include <vector>

#include "planner/search/search_result.h"

namespace planner {

/// Parameters that decide whether the models can distinguish two plans of a search.
struct TieLaw {
  bool timed = true;            // GoalCheck::timed; else plans tie where the goal is the same, and the steps tie
  std::vector<double> changes;  // change_variance

  TieWindow window() const { return {.timed = timed}; }
};
TieLaw tie_law(const OpenScenario& open);

/// A plan as ties see it.
struct TieSide {
  double goal = 0, seconds = 0;
  const KindErrors* errors = nullptr;
  const Parallelism* layout = nullptr;
};
/// Returns whether the models cannot distinguish two plans: their goals differ by less than the errors. Errors of one
/// kind of operators have the same sign in both, and cancel; a change of layout has its own (layout_traits.h).
bool are_tied(const TieSide& a, const TieSide& b, const TieLaw& law);

/// Why the first plan is the first.
struct BestChoice {
  size_t ties = 0;                // others that tie with the plan of the least goal, of those that are kept
  std::vector<const char*> less;  // "memory": what the first plan has less of than that plan; empty: it is that plan
};

/// Marks the groups of plans whose order is uncertain: each group holds the plans that cannot be distinguished from its
/// first. Puts the most usual plan of the first group first, and keeps `top` plans. Accepts plans in any order.
BestChoice rank_plans(std::vector<Found>& plans, const TieLaw& law, size_t top);

/// A search whose plans are in that order: `plans.front()` is what people are shown as the best.
SearchResult ranked_search(const OpenScenario& open, SearchOptions options);

}  // namespace planner
