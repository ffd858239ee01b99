// From a log to what its iterations take at each length, by time and by counters.
#include <doctest/doctest.h>

#include "planner/seqpoint/log.h"

using namespace planner::seqpoint;

namespace {

struct Run {
  dsl::Source file{.name = "log.csv", .text = "", .directory = "."};
  dsl::Diagnostics diagnostics;
  std::optional<LogRun> run;

  explicit Run(const Log& log) { run = run_of(log, {}, {&file, 1, 1, 0}, diagnostics); }
};

const Log kLog{.lengths = {8, 4, 8}, .seconds = {3, 1, 5}, .statistics = {{"kernels", {30, 10, 31}}}};

}  // namespace

TEST_CASE("seqpoint: statistics are means of a length's iterations") {
  const Run r(kLog);
  REQUIRE(r.run.has_value());
  CHECK(r.run->epoch.times() == std::vector<double>{1, 4});
  REQUIRE(r.run->statistics.size() == 1);
  CHECK(r.run->statistics[0].name == "kernels");
  CHECK(r.run->statistics[0].values == std::vector<double>{10, 30.5});
  CHECK(total_seconds(r.run->epoch, r.run->statistics[0].values) == 71);  // the sum of all iterations
}

TEST_CASE("seqpoint: another log times the lengths of a run, whatever its own iterations") {
  Run r(kLog);
  const Log truth{.lengths = {8, 8, 2, 4}, .seconds = {6, 10, 1, 7}};
  const auto times = times_at(truth, r.run->epoch, {&r.file, 1, 1, 0}, r.diagnostics);
  REQUIRE(times.has_value());
  CHECK(*times == std::vector<double>{7, 8});
  const Log short_of{.lengths = {8}, .seconds = {6}};
  CHECK(!times_at(short_of, r.run->epoch, {&r.file, 1, 1, 0}, r.diagnostics).has_value());
  REQUIRE(r.diagnostics.list.size() == 1);
  CHECK(r.diagnostics.list[0].message == "1 of the run's 2 lengths have no time here, the first of them 4");
}
