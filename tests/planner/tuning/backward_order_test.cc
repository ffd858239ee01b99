// The order of a backward pass: from the last operator to the first, each behind what it needs.
#include "planner/tuning/backward_order.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/planner/sample.h"

using namespace planner;
using tuning::backward_order;

namespace {

WorkOp backward(int forward, Numbers inputs) {
  WorkOp op;
  op.phase = StepPhase::backward;
  op.forward = forward;
  op.inputs = inputs;
  return op;
}

}  // namespace

TEST_CASE("of what could run the operator comes first whose forward operator came last") {
  Block block;
  block.ops.resize(3);                                  // three forward operators
  block.ops.push_back(backward(0, {Numbers{5}}));       // 3: needs the gradient that 5 gives
  block.ops.push_back(backward(1, {Numbers{6}}));       // 4
  block.ops.push_back(backward(1, {Numbers{6}}));       // 5
  block.ops.push_back(backward(2, {Numbers{kInput}}));  // 6
  block.ops.push_back(backward(-1, {Numbers{6}}));      // 7: communication of what 6 gives
  CHECK(backward_order(block) == std::vector<int>{6, 7, 4, 5, 3});
  CHECK(backward_order(Block{}).empty());
}

TEST_CASE("every block runs each operator of its backward pass once, behind what it needs") {
  for (const char* const text : {sample::kGpt, sample::kLlama})
    for (const char* const layout : {"parallelism={dp: 8}", "parallelism={tp: 4, sequence_parallel: true, dp: 2}",
                                     "parallelism={tp: 2, cp: 2, dp: 2}"}) {
      const Workload workload = build_workload(sample::scenario(text, {layout}));
      for (const Block& block : workload.blocks) {
        const std::vector<int> order = backward_order(block);
        const auto is_backward = [](const WorkOp& op) { return op.phase == StepPhase::backward; };
        CHECK(std::ssize(order) == std::ranges::count_if(block.ops, is_backward));
        std::vector<bool> done(block.ops.size());
        for (const int op : order) {
          CHECK_FALSE(done[static_cast<size_t>(op)]);
          done[static_cast<size_t>(op)] = true;
          for (const int input : block.ops[static_cast<size_t>(op)].inputs)
            if (input >= 0 && is_backward(block.ops[static_cast<size_t>(input)]))
              CHECK(done[static_cast<size_t>(input)]);
        }
      }
    }
}
