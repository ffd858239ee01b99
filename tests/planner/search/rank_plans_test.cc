// The plan that is shown first: against brute force over every feasible candidate, and on rows made by hand.
#include "planner/search/rank_plans.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "planner/plan/layout_traits.h"
#include "tests/planner/search/open_sample.h"
#include "tests/planner/search/result_text.h"

using planner::Found;
using planner::SearchResult;
using planner::TieLaw;

namespace {

Found plan(double objective, int64_t cp, double memory, uint32_t at) {
  Found f;
  f.objective = f.results.step.seconds = objective;
  f.parallelism.cp = cp;
  f.departures = {std::log2(static_cast<double>(cp)), 0, memory};
  f.position.at = {at};
  return f;
}

std::vector<int> ranks(const std::vector<Found>& plans) {
  std::vector<int> out;
  for (const Found& f : plans) out.push_back(static_cast<int>(f.position.at.front()));
  return out;
}

/// Of traits that are not named 0.
std::vector<double> changes(const std::map<std::string, double>& named) {
  std::vector<double> out;
  for (const planner::LayoutTrait& t : planner::layout_traits())
    out.push_back(named.contains(t.name) ? named.at(t.name) : 0);
  return out;
}

const TieLaw kLaw{.changes = changes({{"any", 0.03}, {"cp", 0.04}})};

}  // namespace

TEST_CASE("of plans that tie the most usual is first, and the others keep their order") {
  std::vector<Found> plans{plan(1.00, 4, 0.2, 0), plan(1.02, 1, 0.1, 1), plan(1.03, 1, 0.2, 2), plan(1.5, 1, 0, 3)};
  std::ranges::reverse(plans);
  const planner::BestChoice best = rank_plans(plans, kLaw, 10);
  CHECK(ranks(plans) == std::vector{1, 0, 2, 3});
  CHECK(best.ties == 2);
  CHECK(std::vector<std::string>(best.less.begin(), best.less.end()) ==
        std::vector<std::string>{"context parallelism", "memory"});
  CHECK(plans[0].tied == 1);
  CHECK(plans[2].tied == 1);
  CHECK(plans[3].tied == 0);  // alone
}

TEST_CASE("what the models tell apart stays behind, however usual it is") {
  std::vector<Found> plans{plan(1.0, 1, 0.3, 0), plan(1.1, 1, 0, 1)};
  CHECK(rank_plans(plans, kLaw, 10).ties == 0);
  CHECK(ranks(plans) == std::vector{0, 1});
  // Two doublings of cp are known less well: 1.28 sqrt(0.03^2 + 2 0.04^2) is 8.2 %, and 3.8 % without.
  std::vector<Found> changed{plan(1.0, 4, 0, 0), plan(1.06, 1, 0, 1)}, same{plan(1.0, 1, 0.2, 0), plan(1.06, 1, 0, 1)};
  CHECK(rank_plans(changed, kLaw, 10).ties == 1);
  CHECK(rank_plans(same, kLaw, 10).ties == 0);
}

TEST_CASE("a goal that is no time ties where it is the same, and the steps tie") {
  const TieLaw law{.timed = false, .changes = changes({{"any", 0.05}})};
  const auto on = [](double gpus, double seconds, int64_t cp, uint32_t at) {
    Found f = plan(gpus, cp, 0, at);
    f.results.step.seconds = seconds;
    return f;
  };
  std::vector<Found> plans{on(64, 1, 2, 0), on(64, 1.05, 1, 1), on(64, 1.5, 1, 2), on(65, 0.9, 1, 3)};
  CHECK(rank_plans(plans, law, 3).ties == 1);
  CHECK(ranks(plans) == std::vector{1, 0, 2});
}

TEST_CASE("no plan, one plan") {
  std::vector<Found> none, one{plan(1, 1, 0, 0)};
  CHECK(rank_plans(none, kLaw, 10).ties == 0);
  CHECK(rank_plans(one, kLaw, 10).ties == 0);
  CHECK(one.front().tied == 0);
}

TEST_CASE("a search keeps the front of goal and departures that brute force finds") {
  for (const auto& more :
       {sample::Sets{}, sample::Sets{"goal={maximize: mfu}"}, sample::Sets{"goal={minimize: gpus}"}}) {
    const planner::OpenScenario open = sample::opened(
        sample::kGpt, sample::operator+(sample::kSpace, sample::operator+(more, {"parallelism.cp=[1, 2, 4]"})));
    const TieLaw law = tie_law(open);
    const SearchResult all = planner::search(open, {.top = 100'000, .pareto = {}});
    REQUIRE(all.plans.size() == static_cast<size_t>(all.feasible));
    const Found& best = all.plans.front();
    const auto is_near = [&](const Found& f) {
      if (!law.timed) return f.objective == best.objective && f.results.step.seconds <= 1.1 * best.results.step.seconds;
      return f.objective <= best.objective + 0.1 * std::fabs(best.objective);
    };
    std::vector<planner::Position> front{best.position};  // it is kept in any case
    for (size_t i = 0; i < all.plans.size(); ++i) {       // in the order of the goal, then of the step
      const Found& f = all.plans[i];
      const bool is_behind = std::any_of(all.plans.begin(), all.plans.begin() + static_cast<ptrdiff_t>(i),
                                         [&](const Found& other) { return other.departures <= f.departures; });
      if (is_near(f) && !is_behind) front.push_back(f.position);
    }
    std::ranges::sort(front);
    front.erase(std::unique(front.begin(), front.end()), front.end());
    for (const int64_t threads : {1, 2}) {
      const SearchResult kept = planner::search(
          open, {.top = 1, .window = planner::TieWindow{std::log(1.1), law.timed}, .pareto = {}, .threads = threads});
      std::vector<planner::Position> found;
      for (const Found& f : kept.plans) found.push_back(f.position);
      std::ranges::sort(found);
      CHECK(found == front);
    }
  }
}
