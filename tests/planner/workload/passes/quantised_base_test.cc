// Frozen weights in few bits: widened for each use, gathered as they are held.
#include <doctest/doctest.h>

#include "planner/plan/memory.h"
#include "tests/planner/sample.h"

using operator_models::Vector;
using planner::StepPhase;
using planner::Workload;
using planner::WorkOp;
using sample::llama;
using sample::near;
using sample::operator+;
using sample::Sets;

namespace {

const Sets kQlora{"job.task=qlora", "job.lora.targets=all"};
constexpr double kH = 1024, kKv = 256, kF = 2816;
constexpr double kLayer = 2 * kH * kH + 2 * kKv * kH + 3 * kF * kH;
constexpr double kNf4 = 4.127 / 8;

/// Elements that are widened in a phase of one layer, and what of them is read and written.
Vector widened(const Workload& w, StepPhase phase) {
  Vector sum;
  for (const WorkOp& op : w.layer().ops) {
    if (!op.widens || op.phase != phase) continue;
    const Vector& v = std::get<Vector>(op.op);
    sum.elements += op.count * v.elements;
    sum.read = sum.read + op.count * v.read;
    sum.written = sum.written + op.count * v.written;
  }
  return sum;
}

}  // namespace

TEST_CASE("each product and each data gradient of a layer widens its weight, and so does what is repeated") {
  const Workload w = sample::workload(llama(kQlora + Sets{"parallelism.recompute=full"}));
  for (const StepPhase phase : {StepPhase::forward, StepPhase::backward, StepPhase::recompute}) {
    const Vector v = widened(w, phase);
    CHECK(v.elements == doctest::Approx(kLayer));
    CHECK(v.read.value == doctest::Approx(kNf4 * kLayer).epsilon(1e-4));
    CHECK(v.written.value == doctest::Approx(2 * kLayer));
  }
  CHECK(widened(sample::workload(llama(kQlora)), StepPhase::recompute).elements == 0);
}

TEST_CASE("who widens") {
  struct Row {
    Sets sets;
    double share;  // of the layer's elements
  };
  for (const Row& row : {Row{{"job.task=lora"}, 0}, Row{{"job.task=lora", "job.lora.base=int8"}, 1},
                         Row{kQlora + Sets{"job.lora.base=fp8"}, 1}, Row{kQlora + Sets{"parallelism.tp=2"}, 0.5},
                         Row{kQlora + Sets{"parallelism.cp=2"}, 1}})
    CHECK(widened(sample::workload(llama(row.sets)), StepPhase::forward).elements ==
          doctest::Approx(row.share * kLayer));
}

TEST_CASE("embedding and head are no linear layers of the base") {
  const Workload w = sample::workload(llama(kQlora));
  for (const WorkOp& op : w.head().ops) CHECK(!op.widens);
  const planner::Scenario s = llama(kQlora), lora = llama({"job.task=lora", "job.lora.targets=all"});
  const auto weights = [](const planner::Scenario& of) {
    return planner::make_memory(of, sample::workload(of)).stages.front().weights;
  };
  CHECK(near(weights(lora) - weights(s), (2 - kNf4) * 8 * (kLayer + 2 * kH), 1e-4));
}

TEST_CASE("the widest copy is a buffer while a layer runs; gate and first matrix are two") {
  const Workload w = sample::workload(llama(kQlora));
  const planner::Block& layer = w.layer();
  REQUIRE(!layer.moments.empty());
  CHECK(layer.moments.back().name == "dequantised");
  CHECK(layer.moments.back().bytes() == 2 * kF * kH);
}

TEST_CASE("FSDP gathers what is held") {
  const auto gathered = [](const Sets& sets) {
    const Workload w = sample::workload(llama(sets + Sets{"software={use: torchtune}", "parallelism.zero=3"}));
    return sample::collective(sample::only(w.layer().ops, "fsdp.all-gather-forward")).bytes.value;
  };
  const double narrow = gathered(kQlora + Sets{"job.lora.rank=8"}),
               wide = gathered({"job.task=lora", "job.lora.rank=8", "job.lora.targets=all"});
  CHECK(near(wide - narrow, (2 - kNf4) * (kLayer + 2 * kH), 1e-4));
}

TEST_CASE("the task says how the base is held where nobody else does") {
  CHECK(llama(kQlora).job.lora.base == planner::BaseType::nf4);
  CHECK(llama({"job.task=lora"}).job.lora.base == planner::BaseType::none);
  CHECK(llama(kQlora + Sets{"job.lora.base=int4"}).job.lora.base == planner::BaseType::int4);
  CHECK(llama(kQlora).job.lora.rank == 16);
}

TEST_CASE("adapters beside some layers") {
  const auto adapted = [](const char* targets) {
    std::string names;
    const Workload w = sample::workload(
        llama({"job.task=lora", "software.fusion.qkv=false", std::string("job.lora.targets=") + targets}));
    for (const WorkOp& op : w.layer().ops)
      if (op.phase == StepPhase::forward && op.name.str().ends_with(".lora-a")) names += op.name.str() + " ";
    return names;
  };
  CHECK(adapted("qv") == "attention.q.lora-a attention.v.lora-a ");
  CHECK(adapted("mlp") == "mlp.fc1.lora-a mlp.fc2.lora-a ");
}
