// Published runs of recurrent and hybrid models with other programs than the vendor's: tests/accuracy/hybrid. Nothing
// was fitted to them. Limits hold what was reached; docs/accuracy.md names the figures.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "planner/studies/runs/score.h"

namespace {

const std::string kFolder = TRAINPLAN_SOURCE_DIR "/tests/accuracy/hybrid/";

std::string text_of(const std::string& name) {
  std::ifstream file(kFolder + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

const planner::Score& score() {
  static const planner::Score score = [] {
    const dsl::Source source{"hybrid.csv", text_of("hybrid.csv"), ""};
    dsl::Diagnostics diagnostics;
    dsl::CsvTable table = dsl::read_csv(source, diagnostics);
    std::vector<planner::Run> runs = planner::read_runs(table, diagnostics);
    REQUIRE_FALSE(diagnostics.has_errors());
    for (planner::Run& run : runs) run.config.scenario = text_of(run.config.file);
    return planner::score_runs(std::move(runs), {.builtin = planner::builtin_catalog(), .directories = {}});
  }();
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
