// Dropout as one kernel, and as a kernel for each operation: their traffic, computed by hand.
#include <doctest/doctest.h>

#include "tests/planner/sample.h"

using operator_models::Vector;
using planner::Scenario;
using planner::StepPhase;
using sample::gpt;
using sample::near;
using sample::Sets;

namespace {

struct Moved {
  double kernels = 0, bytes = 0;
};
// Of the layer's dropouts, in all.
Moved moved(const Scenario& s, StepPhase phase) {
  Moved sum;
  const planner::Workload workload = sample::workload(s);
  for (const planner::WorkOp& op : workload.layer().ops) {
    if (op.phase != phase || !op.name.str().ends_with(".dropout")) continue;
    const auto& v = std::get<Vector>(op.op);
    sum.kernels += op.count;
    sum.bytes += op.count * (v.read + v.written).value;
  }
  return sum;
}

const Sets kApart{"software.fusion.bias_dropout_add=false"};

}  // namespace

TEST_CASE("one kernel reads, writes and keeps a mask; TensorFlow's operations go through memory one by one") {
  // 1024 tokens of 1024, twice, and 16 squares of scores; 2 bytes an element, a byte of mask.
  const double elements = 2 * 1024.0 * 1024 + 16 * 1024.0 * 1024;
  Scenario one = gpt(kApart), each = one;
  each.software.fusion.dropout = false;
  CHECK(moved(one, StepPhase::forward).kernels == 3);
  CHECK(near(moved(one, StepPhase::forward).bytes, elements * (2 + 2 + 1)));
  CHECK(near(moved(one, StepPhase::backward).bytes, elements * (2 + 1 + 2)));
  // Numbers 4, compared 4 + 1, cast 1 + 2, scaled 2 + 2, multiplied 4 + 2.
  CHECK(moved(each, StepPhase::forward).kernels == 15);
  CHECK(near(moved(each, StepPhase::forward).bytes, elements * (4 + 5 + 3 + 4 + 6)));
  CHECK(moved(each, StepPhase::backward).kernels == 6);
  CHECK(near(moved(each, StepPhase::backward).bytes, elements * (6 + 4)));
  each.software.fusion.vector = true;  // a compiler makes one of them
  CHECK(moved(each, StepPhase::forward).kernels == 3);
}
