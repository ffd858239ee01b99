// How far conditions are from holding.
#include "planner/search/shortfall.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "planner/search/search.h"
#include "planner/search/sweep.h"
#include "tests/planner/search/open_sample.h"

namespace {

double missed(const std::string& text) {
  const std::map<std::string, double> names{{"mfu", 0.36}, {"gap", -2}, {"zero", 0}};
  dsl::Diagnostics diagnostics;
  const dsl::Expression condition{dsl::parse_expression(text, {}, diagnostics), text, {}};
  REQUIRE(condition.tree);
  const auto resolve = [&](const std::string& name, dsl::Span) -> std::optional<dsl::Value> {
    const auto it = names.find(name);
    return it == names.end() ? dsl::Value{} : dsl::Value{dsl::Number{it->second, {}}};
  };
  return planner::shortfall(condition, [&](const dsl::Expression& e) {
    dsl::Diagnostics quiet;
    return dsl::evaluate(*e.tree, resolve, quiet);
  });
}

const double kInfinite = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("a comparison is missed by the difference of its sides over the right one") {
  const struct {
    const char* condition;
    double missed;
  } rows[] = {
      {"mfu >= 0.45", 0.2},
      {"mfu < 0.3", 0.2},
      {"2 * mfu >= 0.9", 0.2},
      {"mfu * 2 - 0.02 > 2 * 0.7", 0.5},
      {"mfu <= 0.36", 0},
      {"mfu < 0.36", 0},
      {"gap >= 0", 1},
      {"zero < 0", 0},
      {"gap > -1", 1},
      {"mfu >= 0.45 and gap >= -4", 0.2},
      {"mfu >= 0.45 and gap >= 2", 2},
      {"mfu >= 0.45 or gap >= 2", 0.2},
      {"mfu >= 0.45 or gap < 0", 0},
      {"mfu == 1", kInfinite},
      {"not (mfu > 0.1)", kInfinite},
      {"nothing < 1", kInfinite},
      {"nothing < 1 or mfu >= 0.45", 0.2},
  };
  for (const auto& row : rows) {
    CAPTURE(row.condition);
    if (std::isinf(row.missed)) CHECK(std::isinf(missed(row.condition)));
    else CHECK(missed(row.condition) == doctest::Approx(row.missed));
  }
}

TEST_CASE("of candidates that fit and that do not, the nearest miss fits, however late it is") {
  const planner::OpenScenario open =
      sample::opened(sample::kGpt, {"job.tokens=1e9", "parallelism.tp=[1, 2, 4]", "parallelism.microbatch=[1, 2, 4, 8]",
                                    "cluster.gpu.memory=7 GiB", "goal={deadline: 1 s}"});
  planner::SearchOptions options{.top = 1, .pareto = {}};
  bool has_overflow = false;
  double least = kInfinite;
  planner::sweep(open, [&](const planner::Swept& swept) {
    const bool fits = std::ranges::find(swept.broken, "memory") == swept.broken.end();
    has_overflow = has_overflow || !fits;
    if (fits && swept.found) least = std::min(least, *swept.found->results.days * 86400 - 1);
    return true;
  });
  CHECK(has_overflow);
  for (const bool exhaustive : {true, false}) {
    options.exhaustive = exhaustive;
    const planner::SearchResult result = planner::search(open, options);
    REQUIRE(result.nearest);
    CHECK(!result.nearest->excess.overflows);
    CHECK(result.nearest->excess.shares == doctest::Approx(least));
  }
}

TEST_CASE("the nearest miss of a search is the candidate with the least excess, for any number of threads") {
  const planner::OpenScenario open =
      sample::opened(sample::kGpt, {"job.tokens=1e9", "cluster.price=2 USD/h", "parallelism.tp=[1, 2, 4]",
                                    "parallelism.microbatch=[1, 2]", "where=[\"tp > 1\", \"mfu > 0.5\", \"mfu > 0.9\"]",
                                    "goal={deadline: 1 s}"});
  planner::SearchOptions options{.top = 1, .pareto = {}};
  const planner::SearchResult one = planner::search(open, options);
  CHECK(one.feasible == 0);
  CHECK(one.unmet == std::vector<int64_t>{2, 4});  // tp > 1; mfu > 0.5
  REQUIRE(one.nearest);
  double least = kInfinite;
  std::vector<dsl::Value> choices;
  planner::sweep(open, [&](const planner::Swept& swept) {
    if (std::get<dsl::Number>(swept.choices[0].v).value == 1) return true;
    const double days = *swept.found->results.days * 86400, mfu = swept.found->results.mfu;
    const double excess = std::max(0.0, days - 1) + std::max(0.0, (0.5 - mfu) / 0.5) + std::max(0.0, (0.9 - mfu) / 0.9);
    if (excess < least) least = excess, choices = swept.choices;
    return true;
  });
  CHECK(one.nearest->excess.shares == doctest::Approx(least));
  CHECK(one.nearest->choices == choices);
  options.threads = 3;
  const planner::SearchResult three = planner::search(open, options);
  CHECK(three.nearest->choices == choices);
  CHECK(three.unmet == one.unmet);
}
