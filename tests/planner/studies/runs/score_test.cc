// Errors, figures and problems on numbers made by hand.
#include "planner/studies/runs/score.h"

#include <doctest/doctest.h>

#include <cmath>

namespace {

using doctest::Approx;
using planner::MemoryKind;
using planner::Prediction;
using planner::Run;
using planner::ScoredRun;

Run run(double measured, const std::string& group = "g", int64_t tp = 1) {
  Run r;
  r.group = group;
  r.config.tp = tp;
  if (measured > 0) r.measured.seconds = measured;
  return r;
}

Prediction predicted(double seconds, const std::string& layout = "a") {
  Prediction p;
  p.step = {seconds, 0.9 * seconds, 1.1 * seconds};
  p.layout = layout;
  p.allocated_bytes = 10, p.reserved_bytes = 20, p.device_bytes = 30;
  return p;
}

Prediction skipped() {
  Prediction p;
  p.skipped = "no reason";
  return p;
}

std::vector<const ScoredRun*> pointers(const std::vector<ScoredRun>& rows) {
  std::vector<const ScoredRun*> out;
  for (const ScoredRun& r : rows) out.push_back(&r);
  return out;
}

}  // namespace

TEST_CASE("the error is (predicted - measured) / measured") {
  CHECK(*planner::score_run(run(2), predicted(3)).error == Approx(0.5));
  CHECK(*planner::score_run(run(4), predicted(3)).error == Approx(-0.25));
  CHECK_FALSE(planner::score_run(run(4), skipped()).error.has_value());
}

TEST_CASE("memory is compared with the kind that was measured") {
  struct Case {
    MemoryKind kind;
    double predicted;
  };
  for (const Case& c :
       {Case{MemoryKind::allocated, 10}, Case{MemoryKind::reserved, 20}, Case{MemoryKind::device, 30}}) {
    Run r = run(1);
    r.measured.memory_bytes = 25;
    r.measured.memory_kind = c.kind;
    ScoredRun scored = planner::score_run(r, predicted(1));
    CHECK(*scored.predicted_memory_bytes == c.predicted);
    CHECK(*scored.memory_error == Approx((c.predicted - 25) / 25));
  }
  Run unknown = run(1);
  unknown.measured.memory_bytes = 25;
  ScoredRun scored = planner::score_run(unknown, predicted(1));
  CHECK_FALSE(scored.predicted_memory_bytes.has_value());
  CHECK_FALSE(scored.memory_error.has_value());
}

TEST_CASE("a run with nothing to compare is skipped; with memory alone it is predicted") {
  CHECK(planner::score_run(run(0), predicted(1)).skipped());
  Run memory_only = run(0);
  memory_only.measured.memory_bytes = 25;
  CHECK(planner::score_run(memory_only, predicted(1)).skipped());  // of an unknown kind
  memory_only.measured.memory_kind = MemoryKind::device;
  CHECK_FALSE(planner::score_run(memory_only, predicted(1)).skipped());
}

TEST_CASE("the figures of rows") {
  std::vector<ScoredRun> rows;
  for (auto [measured, seconds] : {std::pair{10.0, 11.0}, {10.0, 8.0}, {10.0, 10.5}, {10.0, 14.0}})
    rows.push_back(planner::score_run(run(measured), predicted(seconds)));
  rows.push_back(planner::score_run(run(10), skipped()));
  planner::Figures f = planner::figures_of(pointers(rows));
  CHECK(f.rows == 5);
  CHECK(f.predicted == 4);
  CHECK(f.skipped == 1);
  CHECK(*f.time.mape == Approx((0.1 + 0.2 + 0.05 + 0.4) / 4));
  CHECK(*f.time.bias == Approx((0.1 - 0.2 + 0.05 + 0.4) / 4));
  CHECK(*f.time.median_ape == Approx(0.15));
  CHECK(*f.time.max_ape == Approx(0.4));
  CHECK(*f.time.within_10_percent == Approx(0.5));
  CHECK(*f.time.inside_interval == Approx(0.5));  // 9.9..12.1 and 9.45..11.55 hold 10
  CHECK_FALSE(f.memory_mape.has_value());
}

TEST_CASE("no rows have no figures") {
  planner::Figures f = planner::figures_of({});
  CHECK(f.rows == 0);
  CHECK_FALSE(f.time.mape.has_value());
  CHECK_FALSE(f.time.max_ape.has_value());
  planner::Score empty = planner::score_runs({}, {});
  CHECK(empty.groups.empty());
  CHECK_FALSE(empty.summary.mean_group_mape.has_value());
}

TEST_CASE("the median of an even number of values lies between two") {
  CHECK(planner::median({3}) == 3);
  CHECK(planner::median({3, 1}) == 2);
  CHECK(planner::median({5, 1, 3}) == 3);
  CHECK(planner::median({4, 1, 3, 2}) == Approx(2.5));
}

TEST_CASE("Spearman's correlation, ties sharing their mean rank") {
  CHECK(*planner::spearman({1, 2, 3}, {10, 20, 30}) == Approx(1));
  CHECK(*planner::spearman({1, 2, 3}, {30, 20, 10}) == Approx(-1));
  CHECK(*planner::spearman({1, 2, 3, 4}, {1, 3, 2, 4}) == Approx(0.8));
  CHECK(*planner::spearman({1, 2, 2, 4}, {1, 2, 3, 4}) == Approx(0.948683298));  // ranks 0 1.5 1.5 3
  CHECK_FALSE(planner::spearman({1, 1, 1}, {1, 2, 3}).has_value());
  CHECK_FALSE(planner::spearman({1}, {2}).has_value());
  CHECK_FALSE(planner::spearman({}, {}).has_value());
}

namespace {

struct Timed {
  const char* layout;
  double predicted, measured;
};

std::vector<planner::ProblemScore> problems(const std::vector<Timed>& times) {
  std::vector<ScoredRun> rows;
  for (const Timed& t : times) rows.push_back(planner::score_run(run(t.measured), predicted(t.predicted, t.layout)));
  return planner::score_problems(rows);
}

}  // namespace

TEST_CASE("regret is what the layout predicted best costs over the best") {
  auto p = problems({{"a", 1.0, 12}, {"b", 2.0, 10}, {"c", 3.0, 15}});
  REQUIRE(p.size() == 1);
  CHECK(p[0].layouts == 3);
  CHECK(p[0].regret == Approx(0.2));
  CHECK(*p[0].rank_correlation == Approx(0.5));
}

TEST_CASE("equal layouts are one, with the median of their times") {
  auto p = problems({{"a", 1.0, 12}, {"a", 1.0, 30}, {"a", 1.0, 11}, {"b", 2.0, 10}});
  REQUIRE(p.size() == 1);
  CHECK(p[0].layouts == 2);
  CHECK(p[0].regret == Approx(0.2));
  CHECK(*p[0].rank_correlation == Approx(-1));
}

TEST_CASE("of layouts predicted equal the slowest counts; one layout is no problem") {
  CHECK(problems({{"a", 1.0, 10}, {"b", 1.0, 13}})[0].regret == Approx(0.3));
  CHECK_FALSE(problems({{"a", 1.0, 10}, {"b", 1.0, 13}})[0].rank_correlation.has_value());
  CHECK(problems({{"a", 1.0, 10}, {"a", 1.0, 13}}).empty());
}

TEST_CASE("layout columns make no problem of their own, all others do") {
  std::vector<ScoredRun> rows;
  for (int64_t tp : {1, 2}) rows.push_back(planner::score_run(run(1, "g", tp), predicted(1, tp == 1 ? "a" : "b")));
  Run other = run(1);
  other.config.attention_kernel = "te";
  rows.push_back(planner::score_run(other, predicted(1)));
  planner::score_problems(rows);
  CHECK(rows[0].problem == rows[1].problem);
  CHECK(rows[0].problem != rows[2].problem);
  for (const planner::ConfigColumn& c : planner::config_columns())
    for (const char* layout : {"tp", "pp", "dp", "ep", "cp", "vpp", "microbatch", "recompute", "zero_stage"})
      if (std::string(c.name) == layout) CHECK(c.layout);
}
