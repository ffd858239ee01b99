// The user's own runs shift a plan as a whole: every part, transfer and derived figure, for a plan and a search alike.
#include <doctest/doctest.h>

#include <cmath>

#include "planner/plan/plan.h"
#include "planner/plan/uncertainty.h"
#include "planner/search/search.h"
#include "tests/planner/search/open_sample.h"

namespace {

using planner::Plan;
using planner::Scenario;
using sample::Sets;

constexpr double kSlower = 0.25;  // ln(measured / planned) of many runs

std::string own(double mean, int runs = 10'000) {
  return "software.errors.own={generation: ampere, runs: " + std::to_string(runs) + ", mean: " + std::to_string(mean) +
         "}";
}

const Sets kLayouts[] = {{},
                         {"parallelism.tp=4"},
                         {"parallelism.pp=2", "parallelism.microbatch=2"},
                         {"parallelism.zero=3", "parallelism.recompute=full"}};

Sets moved(Sets layout) {
  layout.push_back(own(kSlower));
  return layout;
}

std::string ampere() { return sample::llama().cluster.gpu.generation; }

}  // namespace

TEST_CASE("all parts of the step and all transfers move by the same factor") {
  REQUIRE(ampere() == "ampere");
  for (const Sets& layout : kLayouts) {
    const Plan before = sample::plan(sample::llama(layout)), after = sample::plan(sample::llama(moved(layout)));
    const double factor = after.step->seconds / before.step->seconds;
    CHECK(factor == doctest::Approx(std::exp(kSlower)).epsilon(0.01));
    for (const planner::BreakdownPart& part : planner::kBreakdownParts)
      CHECK((*after.breakdown).*part.seconds == doctest::Approx(factor * ((*before.breakdown).*part.seconds)));
    REQUIRE(after.communication.size() == before.communication.size());
    for (size_t i = 0; i < after.communication.size(); ++i) {
      const planner::CommunicationRow &a = after.communication[i], &b = before.communication[i];
      CHECK(a.seconds == doctest::Approx(factor * b.seconds));
      CHECK(a.exposed_seconds == doctest::Approx(factor * b.exposed_seconds));
      CHECK(a.bytes == b.bytes);
      CHECK(a.count == b.count);
    }
    CHECK(after.memory->device.peak_bytes == before.memory->device.peak_bytes);
    CHECK(after.throughput->mfu == doctest::Approx(before.throughput->mfu / factor));
    CHECK(after.throughput->tokens_per_second == doctest::Approx(before.throughput->tokens_per_second / factor));
  }
}

TEST_CASE("runs of another generation, kind or width say nothing of a plan") {
  const double before = sample::plan(sample::llama()).step->seconds;
  for (const char* other :
       {"generation: hopper", "generation: ampere, kind: experts", "generation: ampere, width: 8"}) {
    const std::string set = "software.errors.own={runs: 100, mean: 0.3, " + std::string(other) + "}";
    CHECK(sample::plan(sample::llama({set})).step->seconds == before);
  }
}

TEST_CASE("a search of moved candidates is exact, with bounds and without") {
  for (const double mean : {-0.4, 0.0, 0.4}) {
    const planner::OpenScenario open = sample::opened(
        sample::kLlama, {own(mean), "parallelism.tp=[1, 2, 4, 8]", "parallelism.microbatch=[1, 2, 4]",
                         "parallelism.recompute=[none, selective, full]", "parallelism.zero=[0, 1, 2, 3]"});
    const planner::SearchResult quick = planner::search(open, {.top = 5}),
                                slow = planner::search(open, {.top = 5, .exhaustive = true});
    REQUIRE(quick.plans.size() == slow.plans.size());
    CHECK(quick.feasible == slow.feasible);
    for (size_t i = 0; i < quick.plans.size(); ++i) {
      CHECK(quick.plans[i].position == slow.plans[i].position);
      CHECK(quick.plans[i].results.step.seconds == slow.plans[i].results.step.seconds);
    }
  }
}
