// What a plan and an operator table say about where their figures come from.
#include <doctest/doctest.h>

#include "cli/pages/plan_basis.h"
#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"

using operator_models::Provenance;
using planner::SourceShare;

namespace {

planner::Plan resting_on(std::vector<SourceShare> shares) {
  planner::Plan plan;
  plan.sources = std::move(shares);
  return plan;
}

/// The warning about a plan on calibration "b100"; "" if there is none.
std::string warning(std::vector<SourceShare> shares) {
  planner::Scenario scenario;
  scenario.calibration.name = "b100";
  dsl::Diagnostics diagnostics;
  cli::warn_of_assumed(resting_on(std::move(shares)), scenario, diagnostics);
  CHECK_FALSE(diagnostics.has_errors());
  return diagnostics.list.empty() ? "" : diagnostics.list.front().message;
}

/// Attention rests on an assumption: a kernel that the A100 has no measured row for.
const std::vector<std::string> kAssumed{
    "plan", "-", "--set", "software.attention=flash1", "--set", "job.sequence=16384"};

}  // namespace

TEST_CASE("shares by provenance are said from measured to assumed") {
  const planner::Plan plan = resting_on({{"gemm", Provenance::assumed, 0.5},
                                         {"vector", Provenance::measured, 0.25},
                                         {"collective", Provenance::assumed, 0.125},
                                         {"attention", Provenance::datasheet, 0.125}});
  CHECK(cli::to_text(cli::provenance_shares(plan)) == "measured 25.0 %, datasheet 12.5 %, assumed 62.5 %");
  CHECK(cli::to_text(cli::provenance_shares({})) == "");
}

TEST_CASE("a warning from one fifth of assumed and extrapolated time on") {
  struct Row {
    std::vector<SourceShare> shares;
    const char* message;
  };
  const Row rows[] = {
      {{}, ""},
      {{{"gemm", Provenance::measured, 0.8}, {"attention", Provenance::assumed, 0.2}}, ""},
      {{{"gemm", Provenance::datasheet, 1}}, ""},
      {{{"gemm", Provenance::interpolated, 0.75}, {"attention", Provenance::assumed, 0.25}},
       "25.0 % of the operators' time rests on assumed or extrapolated figures: attention on b100 assumed (25.0 %)"},
      {{{"gemm", Provenance::measured, 0.7},
        {"gemm", Provenance::extrapolated, 0.15},
        {"vector", Provenance::assumed, 0.145},
        {"lookup", Provenance::assumed, 0.005}},
       "30.0 % of the operators' time rests on assumed or extrapolated figures: gemm on b100 extrapolated (15.0 %), "
       "vector on b100 assumed (14.5 %)"},
  };
  for (const Row& row : rows) CHECK(warning(row.shares) == row.message);
}

TEST_CASE("the warning names at most three kinds") {
  const std::string said = warning({{"gemm", Provenance::assumed, 0.4},
                                    {"attention", Provenance::assumed, 0.3},
                                    {"vector", Provenance::assumed, 0.2},
                                    {"collective", Provenance::assumed, 0.1}});
  CHECK(holds(said, "100.0 % of"));
  CHECK(holds(said, "vector on b100"));
  CHECK_FALSE(holds(said, "collective"));
}

TEST_CASE("plan warns on standard error, not with --quiet; the page says the shares either way") {
  const Ran good = ran({"plan", "-"}, kSmallJob), warned = ran(kAssumed, kSmallJob);
  CHECK(good.err == "");
  CHECK(holds(good.out, "\nprovenance  "));
  CHECK(holds(warned.err, "warning: "));
  CHECK(holds(warned.err, "attention on a100-sxm assumed ("));
  CHECK(holds(warned.err, "hint: `trainplan ops "));
  CHECK_FALSE(holds(warned.out, "warning"));
  std::vector<std::string> quiet = kAssumed;
  quiet.push_back("--quiet");
  const Ran silent = ran(quiet, kSmallJob);
  CHECK(silent.err == "");
  CHECK(silent.out == warned.out);
  CHECK(silent.status == warned.status);
}

TEST_CASE("ops says the shares below its table, rows by rows formats stay a table") {
  CHECK(holds(ran({"ops", "-"}, kSmallJob).out, "\nTime by provenance: interpolated "));
  CHECK_FALSE(holds(ran({"ops", "-", "--format", "csv"}, kSmallJob).out, "Time by provenance"));
  CHECK_FALSE(holds(ran({"ops", "-", "--columns", "name"}, kSmallJob).out, "Time by provenance"));
}
