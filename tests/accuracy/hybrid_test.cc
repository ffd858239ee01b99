// Published runs of recurrent and hybrid models with programs other than the vendor's: tests/accuracy/hybrid. Nothing
// was fitted to them. Limits are the accuracy reached so far; docs/accuracy/groups.md has the figures.
#include <doctest/doctest.h>

#include <string>

#include "tests/accuracy/score_table.h"

namespace {

const planner::Score& score() {
  static const planner::Score score = sample::score_table("hybrid/hybrid.csv");
  return score;
}

planner::Figures figures(const std::string& source) {
  std::vector<const planner::ScoredRun*> rows;
  for (const planner::ScoredRun& r : score().rows)
    if (r.run.group.starts_with(source)) rows.push_back(&r);
  return planner::figures_of(rows);
}

}  // namespace

TEST_CASE("every published run of a recurrent or hybrid model is predicted") {
  CHECK(score().rows.size() == 24);
  for (const planner::ScoredRun& r : score().rows) CHECK_MESSAGE(!r.skipped(), r.run.id);
}

TEST_CASE("errors of recurrent and hybrid models by source stay what they were") {
  struct Limit {
    const char* source;  // its beginning
    int64_t rows;
    double mape;  // their families left out
  };
  for (const Limit& limit : {Limit{"RetNet", 3, 0.40}, Limit{"Lightning", 5, 0.085}, Limit{"MiniMax-01", 5, 0.065},
                             Limit{"RWKV/RWKV-infctx", 4, 0.16}, Limit{"BlinkDL", 2, 0.09}}) {
    const planner::Figures of = figures(limit.source);
    CAPTURE(std::string(limit.source));
    CHECK(of.rows == limit.rows);
    CHECK(of.unseen.mape.value() <= limit.mape);
  }
}

TEST_CASE("the median error of all, families left out") { CHECK(score().summary.unseen.median_ape.value() <= 0.14); }
