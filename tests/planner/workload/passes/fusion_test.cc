// Kernels bound by memory that join the one whose result they read: by hand, and what stays as it was.
#include <doctest/doctest.h>

#include "planner/workload/passes/passes.h"
#include "tests/planner/sample.h"

using operator_models::Vector;
using planner::Scenario;
using planner::WorkOp;
using sample::llama;
using sample::near;
using sample::Sets;

namespace {

WorkOp vector(planner::Numbers inputs, double read, double written) {
  WorkOp op;
  op.op = Vector{.elements = 1, .read = {read}, .written = {written}};
  op.inputs = std::move(inputs);
  return op;
}
WorkOp product(planner::Numbers inputs) {
  WorkOp op;
  op.op = operator_models::Gemm{.m = 1, .n = 1, .k = 1};
  op.inputs = std::move(inputs);
  return op;
}

/// Bytes read of each operator, -1 in front of those that have joined another.
std::vector<double> joined(std::vector<WorkOp> ops) {
  Scenario s = llama();
  s.software.fusion.vector = true;
  planner::Workload w;
  w.blocks.emplace_back().ops = std::move(ops);
  planner::apply_fusion(s, w);
  std::vector<double> read;
  for (const WorkOp& op : w.blocks.front().ops) {
    const auto* v = std::get_if<Vector>(&op.op);
    if (v && v->joined) read.push_back(-1);
    read.push_back(v ? v->read.value : 0);
  }
  return read;
}

using Reads = std::vector<double>;

}  // namespace

TEST_CASE("a kernel joins the one whose result it reads, and does not read that again") {
  CHECK(joined({vector({-1}, 8, 8), vector({0}, 8, 4), vector({1}, 4, 4)}) == Reads{8, -1, 0, -1, 0});
  CHECK(joined({vector({-1}, 8, 8), vector({0, -2}, 20, 4)}) == Reads{8, -1, 12});
}

TEST_CASE("products join nobody, and nobody joins them") {
  CHECK(joined({product({-1}), vector({0}, 8, 8), product({1})}) == Reads{0, 8, 0});
  CHECK(joined({vector({-1}, 8, 8), product({0}), vector({1}, 8, 8)}) == Reads{8, 0, 8});
}

TEST_CASE("of two results the larger one's kernel is joined") {
  CHECK(joined({vector({-1}, 2, 2), vector({-1}, 8, 8), vector({0, 1}, 10, 8)}) == Reads{2, 8, -1, 2});
}

TEST_CASE("kernels that would wait for each other stay apart") {
  // The product reads the first result, and the last kernel reads both.
  CHECK(joined({vector({-1}, 8, 8), product({0}), vector({0, 1}, 16, 8)}) == Reads{8, 0, 16});
  // Over a kernel that has joined in between.
  CHECK(joined({vector({-1}, 8, 8), vector({0}, 8, 8), product({0}), vector({1, 2}, 16, 8)}) == Reads{8, -1, 0, 0, 16});
}

TEST_CASE("what a kernel has joined already counts, in whatever order operators stand") {
  // The first one joins the last, which then may not join the second: the product stands between.
  CHECK(joined({vector({3, 2}, 16, 8), vector({-1}, 8, 8), product({1}), vector({1}, 8, 8)}) == Reads{-1, 8, 8, 0, 8});
}

TEST_CASE("kernels of other phases and of routed tokens stay apart") {
  std::vector<WorkOp> ops{vector({-1}, 8, 8), vector({0}, 8, 8)};
  ops[1].phase = planner::StepPhase::backward;
  CHECK(joined(ops) == Reads{8, 8});
  ops[1].phase = planner::StepPhase::forward;
  ops[1].routed = true;
  CHECK(joined(ops) == Reads{8, 8});
}

TEST_CASE("a plan reads less and launches less, writes and computes the same") {
  for (const char* recompute : {"none", "selective", "full"}) {
    CAPTURE(recompute);
    const Sets sets{std::string("parallelism.recompute=") + recompute};
    Scenario off = llama(sets), on = off;
    on.software.fusion.vector = true;
    const planner::CostedWorkload before = planner::cost_workload(off, sample::workload(off)),
                                  after = planner::cost_workload(on, sample::workload(on));
    for (size_t b = 0; b < before.blocks.size(); ++b) {
      REQUIRE(before.blocks[b].ops.size() == after.blocks[b].ops.size());
      for (size_t i = 0; i < before.blocks[b].ops.size(); ++i) {
        const operator_models::Cost &x = before.blocks[b].ops[i].cost, &y = after.blocks[b].ops[i].cost;
        CHECK(y.seconds <= x.seconds);
        CHECK(y.bytes_read <= x.bytes_read);
        CHECK(y.bytes_written == x.bytes_written);
        CHECK(y.flops == x.flops);
      }
    }
    CHECK(sample::plan(on).step->seconds < sample::plan(off).step->seconds);
    CHECK(sample::plan(on).memory->device.peak_bytes == sample::plan(off).memory->device.peak_bytes);
  }
}
