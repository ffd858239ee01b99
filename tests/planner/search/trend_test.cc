// Which way an expression over results goes with the step: by rules, and against figures of growing steps.
#include <doctest/doctest.h>

#include "planner/search/bounds.h"
#include "planner/search/goal.h"
#include "tests/planner/search/open_sample.h"

using planner::StepTrend;
using sample::Sets;

namespace {

planner::OpenScenario with_goal(const std::string& expression) {
  return sample::opened(sample::kGpt,
                        Sets{"parallelism.tp=[1, 2]", "job.tokens=1e9", "goal={minimize: '" + expression + "'}"});
}

planner::OpenScenario with_condition(const std::string& condition) {
  return sample::opened(sample::kGpt, Sets{"parallelism.tp=[1, 2]", "job.tokens=1e9", "where=['" + condition + "']"});
}

std::string word(StepTrend t) {
  if (t.is_fixed()) return "fixed";
  return t.never_falls ? "rises" : t.never_rises ? "falls" : "unknown";
}

}  // namespace

TEST_CASE("the trend of a goal") {
  const struct {
    const char *expression, *trend;
  } rows[] = {
      {"step", "rises"},
      {"-step", "falls"},
      {"usd + 1000 USD/h * days", "rises"},
      {"usd - 1000 USD/h * days", "unknown"},
      {"step * usd", "rises"},
      {"step * mfu", "unknown"},
      {"1 / mfu", "rises"},
      {"days / mfu", "rises"},
      {"mfu / step", "falls"},
      {"tokens_per_second / gpus", "falls"},
      {"gpus", "fixed"},
      {"gpus * 2 + 1", "fixed"},
      {"memory.peak", "fixed"},
      {"memory.headroom * step", "unknown"},
      {"max(step, 1 s)", "rises"},
      {"min(mfu, hfu)", "falls"},
      {"bubble", "unknown"},
      {"exposed_comm + step", "unknown"},
      {"step ^ 2", "unknown"},
      {"tp * step", "unknown"},  // nobody says here that tp is above zero
      {"scaling_efficiency", "unknown"},
  };
  for (const auto& row : rows) {
    INFO(row.expression);
    const planner::OpenScenario open = with_goal(row.expression);
    CHECK(word(planner::trend_of(*open.sample.goal.minimize, open.space.record())) == row.trend);
  }
}

TEST_CASE("the trend of a condition's truth") {
  const struct {
    const char *condition, *trend;
  } rows[] = {
      {"step < 1 s", "falls"},
      {"1 s >= step", "falls"},
      {"mfu >= 0.4", "falls"},
      {"mfu < 0.4", "rises"},
      {"mfu >= 0.4 and usd < 10 USD", "falls"},
      {"mfu >= 0.4 or usd > 10 USD", "unknown"},
      {"not mfu >= 0.4", "rises"},
      {"step == 1 s", "unknown"},
      {"memory.peak < 10 GB", "fixed"},
      {"bubble < 0.1 * step", "unknown"},
  };
  for (const auto& row : rows) {
    INFO(row.condition);
    const planner::OpenScenario open = with_condition(row.condition);
    REQUIRE(open.space.result_conditions().size() == 1);
    CHECK(word(planner::trend_of(*open.space.result_conditions().front(), open.space.record())) == row.trend);
  }
}
