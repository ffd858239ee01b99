// Forward-only jobs: one pass, weights and one microbatch's buffers, and nothing that a gradient needs.
#include <doctest/doctest.h>

#include "planner/plan/ops.h"
#include "tests/planner/sample.h"

using planner::OperatorRow;
using planner::Plan;
using planner::Scenario;
using planner::StageMemory;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

const Sets kForward{"job.phase=forward"};
const Sets kLayouts[] = {{},
                         {"parallelism.tp=4"},
                         {"parallelism.tp=4", "parallelism.sequence_parallel=true"},
                         {"parallelism.pp=4"},
                         {"parallelism.pp=2", "parallelism.tp=2", "parallelism.interleave=2"}};

}  // namespace

TEST_CASE("every operator of a forward job is a forward operator, the same as in training") {
  for (const Sets& layout : kLayouts) {
    std::vector<OperatorRow> forward = planner::operator_rows(llama(layout + kForward)),
                             train = planner::operator_rows(llama(layout));
    std::erase_if(train, [](const OperatorRow& r) { return r.phase != "forward" || r.layer == "boundary"; });
    std::erase_if(forward, [](const OperatorRow& r) { return r.layer == "boundary"; });
    REQUIRE(forward.size() == train.size());
    for (size_t i = 0; i < forward.size(); ++i) {
      CAPTURE(forward[i].name);
      CHECK(forward[i].name == train[i].name);
      CHECK(forward[i].phase == "forward");
      CHECK(forward[i].count == train[i].count);
      CHECK(forward[i].seconds == train[i].seconds);
    }
  }
}

TEST_CASE("its forward pass is that of training, and the rest of the breakdown is empty") {
  for (const Sets& layout : kLayouts) {
    const Plan forward = sample::plan(llama(layout + kForward)), train = sample::plan(llama(layout));
    CHECK(near(forward.breakdown->forward, train.breakdown->forward));
    CHECK(forward.breakdown->backward == 0);
    CHECK(forward.breakdown->recompute == 0);
    CHECK(forward.breakdown->optimizer == 0);
    CHECK(forward.step->seconds < train.step->seconds);
    CHECK(near(3 * forward.throughput->model_flops_per_step, train.throughput->model_flops_per_step));
    const Sets bare = layout + Sets{"software.step_overhead=0 s"};  // which either pays once
    CHECK(sample::plan(llama(bare + kForward)).throughput->tokens_per_second >
          2 * sample::plan(llama(bare)).throughput->tokens_per_second);
  }
}

TEST_CASE("it holds weights and the buffers of one microbatch") {
  for (const Sets& layout : kLayouts) {
    const Scenario s = llama(layout + kForward);
    const planner::Workload w = sample::workload(s);
    const Plan p = sample::plan(s);
    for (const StageMemory& m : p.memory->stages) {
      const auto& stage = w.classes[static_cast<size_t>(w.class_of_stage[static_cast<size_t>(m.stage)])];
      CHECK(near(m.weights, 2 * stage.held.sum()));
      CHECK(m.gradients == 0);
      CHECK(m.optimizer == 0);
      CHECK(m.activations == 0);
    }
  }
}

TEST_CASE("recompute, the optimizer and gradients mean nothing to it") {
  const Plan base = sample::plan(gpt(kForward));
  for (const Sets& more : {Sets{"parallelism.recompute=full"}, Sets{"parallelism.recompute=selective"},
                           Sets{"job.optimizer=lamb"}, Sets{"software.reduce_bytes=4"},
                           Sets{"software.optimizer_extra_bytes=100"}, Sets{"software.overlap.gradients=true"}}) {
    const Plan other = sample::plan(gpt(kForward + more));
    CHECK(other.step->seconds == base.step->seconds);
    CHECK(other.memory->device.peak_bytes == base.memory->device.peak_bytes);
  }
}

TEST_CASE("its data ranks have nothing to say to each other") {
  for (const Sets& layout : {Sets{}, Sets{"parallelism.zero=1"}, Sets{"parallelism.tp=2"}})
    for (const planner::CommunicationRow& r : sample::plan(llama(layout + kForward)).communication)
      CHECK_MESSAGE(r.name.find("data.") == std::string::npos, r.name);
  CHECK(sample::plan(llama(kForward)).communication.empty());
}
