// What the edges of a block say, against brute force over all paths and by hand.
#include "planner/workload/graph.h"

#include <rapidcheck.h>

#include <algorithm>

#include "tests/planner/sample.h"

using planner::WorkOp;

namespace {

/// Operators that read earlier ones: no circle.
std::vector<WorkOp> any_graph(size_t most) {
  std::vector<WorkOp> ops(*rc::gen::inRange<size_t>(1, most));
  for (size_t i = 1; i < ops.size(); ++i)
    for (size_t from = 0; from < i; ++from)
      if (*rc::gen::inRange(0, 3) == 0) ops[i].inputs.push_back(static_cast<int>(from));
  return ops;
}

/// The longest way that ends in an operator, over all of them.
double longest_to(const std::vector<WorkOp>& ops, const std::vector<double>& seconds, int at) {
  double before = 0;
  for (int input : ops[static_cast<size_t>(at)].inputs) before = std::max(before, longest_to(ops, seconds, input));
  return before + seconds[static_cast<size_t>(at)];
}

TEST_CASE("the longest path is that of brute force, at least the longest operator and at most their sum") {
  rc::check("", [] {
    const std::vector<WorkOp> ops = any_graph(10);
    std::vector<double> seconds;
    for (size_t i = 0; i < ops.size(); ++i) seconds.push_back(*rc::gen::inRange(0, 9));  // exact sums
    const planner::OperatorPath path = planner::longest_path(ops, seconds);
    double longest = 0, sum = 0, along = 0;
    for (size_t i = 0; i < ops.size(); ++i) {
      longest = std::max(longest, longest_to(ops, seconds, static_cast<int>(i)));
      sum += seconds[i];
    }
    for (int at : path.ops) along += seconds[static_cast<size_t>(at)];
    RC_ASSERT(path.seconds == longest);
    RC_ASSERT(along == longest);
    RC_ASSERT(path.seconds <= sum);
    RC_ASSERT(path.seconds >= *std::ranges::max_element(seconds));
    for (size_t i = 1; i < path.ops.size(); ++i) {
      const auto& inputs = ops[static_cast<size_t>(path.ops[i])].inputs;
      RC_ASSERT(std::ranges::find(inputs, path.ops[i - 1]) != inputs.end());
    }
  });
}

TEST_CASE("in a topological order producers come first, whatever the order of the block") {
  std::vector<WorkOp> ops(3);
  ops[0].inputs = {2};
  ops[2].inputs = {1};
  CHECK(planner::topological_order(ops) == std::vector<int>{1, 2, 0});
  ops[1].inputs = {0};
  CHECK(planner::topological_order(ops).empty());
}

TEST_CASE("of queries, keys and values the longest is on the critical path") {
  const auto s = sample::llama({"software.fusion.qkv=false"});
  const planner::CostedWorkload c = planner::cost_workload(s, sample::workload(s));
  const planner::Block& layer = c.workload.layer();
  const planner::BlockGraph graph = planner::graph_of(c.blocks[1], layer.ops);
  std::vector<std::string> names;
  for (int at : graph.forward.path.ops) names.push_back(layer.ops[static_cast<size_t>(at)].name);
  CHECK(std::ranges::count(names, "attention.q") == 1);
  CHECK(std::ranges::count(names, "attention.k") + std::ranges::count(names, "attention.v") == 0);
  REQUIRE(graph.groups.size() == 2);
  CHECK(graph.groups[0].ops.size() == 3);  // forward
  CHECK(graph.groups[1].ops.size() == 6);  // two gradients of each
  CHECK(graph.forward.seconds == doctest::Approx(c.blocks[1].forward.compute));
  CHECK(graph.backward.seconds == doctest::Approx(c.blocks[1].backward.compute));
  CHECK(graph.forward.parallelism() > 1);
  CHECK(graph.backward.parallelism() > 1.1);  // weight gradients run beside data gradients
}

}  // namespace
