// A norm as one kernel, as three passes, and as a kernel for each operation: traffic and kept bytes, computed by hand.
#include <doctest/doctest.h>

#include <string>

#include "planner/workload/check_graph.h"
#include "tests/planner/sample.h"

using operator_models::Vector;
using planner::Scenario;
using planner::StepPhase;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

const Sets kPasses{"software.fusion.norm=false", "software.fusion.norm_passes=true"};
const Sets kEach{"software.fusion.norm=false", "software.fusion.norm_passes=false"};

struct Moved {
  double kernels = 0, bytes = 0;
};
// Of the layer's first norm.
Moved moved(const Scenario& s, StepPhase phase) {
  Moved sum;
  const planner::Workload workload = sample::workload(s);
  for (const planner::WorkOp& op : workload.layer().ops) {
    if (op.phase != phase || !op.name.str().starts_with("attention.norm")) continue;
    const auto& v = std::get<Vector>(op.op);
    sum.kernels += op.count;
    sum.bytes += op.count * (v.read + v.written).value;
  }
  return sum;
}

double kept(const Scenario& s) {
  double bytes = 0;
  const planner::Workload workload = sample::workload(s);
  for (const planner::Saved& saved : workload.layer().saved)
    if (saved.name.str().starts_with("attention.norm")) bytes += saved.bytes;
  return bytes;
}

}  // namespace

TEST_CASE("a layer norm: each operation of its formula and of its gradients goes through memory") {
  const double elements = 1024.0 * 1024, rows = 1024, a = 2;
  const Scenario one = gpt(), passes = gpt(kPasses), each = gpt(kEach);
  CHECK(moved(one, StepPhase::forward).kernels == 1);
  CHECK(moved(passes, StepPhase::forward).kernels == 1);
  CHECK(near(moved(passes, StepPhase::forward).bytes, 3 * moved(one, StepPhase::forward).bytes));
  // Two means read; two differences, square, quotient, product, sum read and write; of rows a sum and a root.
  CHECK(moved(each, StepPhase::forward).kernels == 10);
  CHECK(near(moved(each, StepPhase::forward).bytes, a * (14 * elements + 4 * rows)));
  CHECK(moved(each, StepPhase::backward).kernels == 26);
  CHECK(near(moved(each, StepPhase::backward).bytes, a * (46 * elements + 6 * rows)));
  CHECK(near(kept(one), a * elements));
  CHECK(near(kept(each), 3 * a * elements));
}

TEST_CASE("without a bias a layer norm has two kernels fewer, and a sum") {
  const Sets without{"model.bias=false"};
  const Moved with = moved(gpt(kEach), StepPhase::forward), less = moved(gpt(kEach + without), StepPhase::forward);
  CHECK(with.kernels - less.kernels == 1);
  CHECK(moved(gpt(kEach), StepPhase::backward).kernels - moved(gpt(kEach + without), StepPhase::backward).kernels == 1);
}

TEST_CASE("a root-mean-square norm works in fp32, and casts where activations are narrow") {
  const double elements = 2048.0 * 1024, rows = 2048;
  const Scenario each = llama(kEach);
  // Casts 2 + 4 each way, power and product in fp32, its mean, the weight's product; of rows a sum and a root.
  CHECK(moved(each, StepPhase::forward).kernels == 8);
  CHECK(near(moved(each, StepPhase::forward).bytes, elements * (2 * 6 + 2 * 8 + 4 + 4) + rows * 8));
  CHECK(near(kept(each), elements * (2 + 4)));
  const Scenario wide = llama(kEach + Sets{"job.precision=fp32"});
  CHECK(moved(wide, StepPhase::forward).kernels == 6);
  CHECK(moved(each, StepPhase::backward).kernels - moved(wide, StepPhase::backward).kernels == 2);
}

TEST_CASE("a compiler makes one of them, and a fused norm does not ask how it would be written out") {
  const Moved compiled = moved(gpt(kEach + Sets{"software.fusion.vector=true"}), StepPhase::forward);
  CHECK(compiled.kernels == 1);
  const Scenario fused = gpt({"software.fusion.norm=true", "software.fusion.norm_passes=false"});
  CHECK(moved(fused, StepPhase::backward).bytes == moved(gpt(), StepPhase::backward).bytes);
}

TEST_CASE("recomputation repeats all kernels of a norm whose terms it drops") {
  for (const char* policy : {"mlp-and-norm", "latent-up-and-cheap"}) {
    const planner::Workload w = sample::workload(
        llama(kEach + Sets{"parallelism.recompute=selective", std::string("software.selective=") + policy}));
    CHECK(planner::graph_faults(w).empty());
    double again = 0;
    for (const planner::WorkOp& op : w.layer().ops)
      if (op.phase == StepPhase::recompute && op.name.str().starts_with("mlp.norm")) again += op.count;
    CHECK(again == 8);
    for (const planner::Saved& saved : w.layer().saved) CHECK(saved.role != planner::SavedRole::norm_terms);
  }
}

TEST_CASE("written out it is never faster than in one kernel, nor smaller") {
  for (const Sets& more :
       {Sets{}, Sets{"parallelism.tp=4"}, Sets{"parallelism.tp=4", "parallelism.sequence_parallel=true"}}) {
    const planner::Plan one = sample::plan(llama(more)), each = sample::plan(llama(kEach + more));
    CHECK(each.step->seconds > one.step->seconds);
    CHECK(each.memory->device.peak_bytes >= one.memory->device.peak_bytes);
  }
}
