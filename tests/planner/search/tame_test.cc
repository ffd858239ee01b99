// Numbers that no machine has: a search with bounds says of them what a search says that computes all figures.
#include "planner/search/tame.h"

#include <doctest/doctest.h>

#include "planner/search/search.h"
#include "tests/planner/search/open_sample.h"
#include "tests/planner/search/result_text.h"

using sample::Sets;
using sample::operator+;

namespace {

const Sets kChoices{"parallelism.tp=[1, 2]", "parallelism.microbatch=[1, 2]"};

/// How many candidates of the space have sizes that a machine could have; -1: some have no value.
int tame(const Sets& sets) {
  const planner::OpenScenario open = sample::opened(sample::kGpt, kChoices + sets);
  const planner::Tame tame(open);
  int count = 0;
  for (dsl::Cursor cursor(open.space); cursor.next();) {
    if (cursor.refusal() != dsl::Refusal::none) return -1;
    count += tame.holds(cursor) ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("a candidate is tame whose numbers are zero or of sizes that a machine could have") {
  CHECK(tame({}) == 4);
  CHECK(tame({"cluster.host.bandwidth=0 B/s"}) == 4);
  CHECK(tame({"cluster.host.bandwidth=1e-35 B/s"}) == 0);
  CHECK(tame({"cluster.gpu.memory_bandwidth=1e40 B/s"}) == 0);
  // One value of a choice that is known from the start, and one that follows from another.
  CHECK(tame({"cluster.gpu.memory_bandwidth=[1 TB/s, 1e40 B/s]"}) == 0);
  CHECK(tame({"cluster.gpu.memory_bandwidth=if(tp == 1, 1e40 B/s, 1 TB/s)"}) == 2);
}

TEST_CASE("where numbers are of no machine's size, bounds decide nothing and change nothing") {
  for (const Sets& sets : {Sets{"cluster.host.bandwidth=1e-300 B/s", "cluster.host.memory_bandwidth=200 GB/s",
                                "parallelism.offload.optimizer=[0, 0.5]"},
                           Sets{"cluster.gpu.memory_bandwidth=if(tp == 1, 1e200 B/s, 1 TB/s)"},
                           Sets{"cluster.gpu.memory_bandwidth=[1 B/s, 1e300 B/s]"}}) {
    const planner::OpenScenario open = sample::opened(sample::kGpt, kChoices + sets + Sets{"job.tokens=1e9"});
    const planner::SearchResult each = planner::search(open, {.top = 1, .exhaustive = true});
    CHECK(sample::text(planner::search(open, {.top = 1})) == sample::text(each));
    CHECK(each.candidates > each.feasible - 1);
  }
}
