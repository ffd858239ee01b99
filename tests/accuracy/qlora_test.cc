// Peaks that torchtune publishes (README.md at bd2a0fc): QLoRA of 8B on an RTX 4090, of 405B on eight A100; and the
// published ratios of Muon's modes (Megatron-LM issue 6676).
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "tests/planner/sample.h"

namespace {

planner::Plan plan(const std::string& model, const std::string& cluster, const std::string& rest) {
  return planner::make_plan(sample::scenario("model: {use: " + model + "}\ncluster: {use: " + cluster + "}\n" + rest));
}
double gibibytes(const planner::Plan& p) { return p.memory->allocated_bytes / (1 << 30); }

double optimizer_step(const std::string& mode) {
  std::ifstream in("scenarios/grok-1-muon-gb300.yaml");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const planner::Scenario s = sample::load(text, {"job.muon.mode=" + mode}, "scenarios").scenario;
  const planner::CostedWorkload c = planner::cost_workload(s, sample::workload(s));
  double sum = 0;
  for (const planner::CostedOp& op : c.classes.front().step_ops)
    if (op.work->phase == planner::StepPhase::optimizer) sum += op.work->count * op.cost.seconds.value;
  return sum;
}

}  // namespace

TEST_CASE("peaks of QLoRA within 10 %") {
  const planner::Plan small =
      plan("llama3.1-8b", "rtx-4090-8x, gpus: 1",
           "job: {sequence: 2048, global_batch: 2, task: qlora, lora: {rank: 8, targets: all}}\n"
           "software: {use: torchtune, fsdp: false}\n"
           "parallelism: {microbatch: 2, recompute: full}\n");
  const planner::Plan large =
      plan("llama3.1-405b", "dgx-a100-80gb, gpus: 8",
           "job: {sequence: 2048, global_batch: 16, task: qlora, lora: {rank: 16, targets: all}}\n"
           "software: {use: torchtune}\n"
           "parallelism: {microbatch: 2, zero: 3, recompute: full}\n");
  CHECK(gibibytes(small) == doctest::Approx(7.4).epsilon(0.10));
  CHECK(gibibytes(large) == doctest::Approx(44.8).epsilon(0.10));
}

TEST_CASE("QLoRA of a 70B fits one GPU of 48 GB, LoRA does not") {
  std::ifstream in("scenarios/llama3.1-70b-qlora-l40s.yaml");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  CHECK(!planner::make_plan(sample::load(text, {}, "scenarios").scenario).memory->device.overflows());
  CHECK(planner::make_plan(sample::load(text, {"job.task=lora"}, "scenarios").scenario).memory->device.overflows());
}

TEST_CASE("Muon's modes: 632, 356 and 157 ms, their ratios within 25 %") {
  const double duplicated = optimizer_step("duplicated"), distributed = optimizer_step("distributed"),
               sharded = optimizer_step("layer-sharded");
  CHECK(distributed / duplicated == doctest::Approx(356.0 / 632).epsilon(0.25));
  CHECK(sharded / duplicated == doctest::Approx(157.0 / 632).epsilon(0.25));
  CHECK(sharded / distributed == doctest::Approx(157.0 / 356).epsilon(0.25));
}
