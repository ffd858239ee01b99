#include "planner/plan/fullest_node.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

using planner::fullest_node;

namespace {

double one_by_one(const std::vector<double>& of_stages, int64_t stride, int64_t ranks, int64_t ranks_per_node) {
  double fullest = 0;
  for (int64_t first = 0; first < ranks; first += ranks_per_node) {
    double node = 0;
    for (int64_t rank = first; rank < std::min(first + ranks_per_node, ranks); ++rank)
      node += of_stages[static_cast<size_t>(rank / stride) % of_stages.size()];
    fullest = std::max(fullest, node);
  }
  return fullest;
}

}  // namespace

TEST_CASE("the fullest node is the one that a look at every rank finds") {
  CHECK(rc::check([] {
    const auto of_stages = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(rc::gen::element(0.0, 1.0, 7.0)));
    const auto stride = *rc::gen::inRange<int64_t>(1, 20), node = *rc::gen::inRange<int64_t>(1, 20);
    const auto ranks = *rc::gen::inRange<int64_t>(1, 2000);
    RC_ASSERT(fullest_node(of_stages, stride, ranks, node) == one_by_one(of_stages, stride, ranks, node));
  }));
}

TEST_CASE("a thousand million ranks are no more work than a few") {
  const std::vector<double> stages{1, 2, 3, 4};
  CHECK(fullest_node(stages, 250'000'000, 1'000'000'000, 8) == 32);
  CHECK(fullest_node(stages, 1, 1'000'000'000, 8) == 20);
  CHECK(fullest_node(stages, 250'000'001, 1'000'000'004, 8) == 32);
}
