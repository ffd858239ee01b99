// Peaks that torchtune publishes (README.md at bd2a0fc): QLoRA of 8B on an RTX 4090, of 405B on eight A100; and the
// published ratios of Muon's modes (Megatron-LM issue 6676).
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "tests/planner/sample.h"

namespace {

planner::Scenario scenario(const std::string& file, const std::vector<std::string>& sets = {}) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return sample::load(text, sets, "scenarios").scenario;
}
double allocated_gibibytes(const std::string& file) {
  return planner::make_plan(scenario(file)).memory->allocated_bytes / (1 << 30);
}

double optimizer_step(const std::string& mode) {
  const planner::Scenario s = scenario("scenarios/grok-1-muon-gb300.yaml", {"job.muon.mode=" + mode});
  const planner::CostedWorkload c = planner::cost_workload(s, sample::workload(s));
  double sum = 0;
  for (const planner::CostedOp& op : c.classes.front().step_ops)
    if (op.work->phase == planner::StepPhase::optimizer) sum += op.work->count * op.cost.seconds.value;
  return sum;
}

}  // namespace

TEST_CASE("peaks of QLoRA within 10 %") {
  CHECK(allocated_gibibytes("tests/accuracy/qlora/8b.yaml") == doctest::Approx(7.4).epsilon(0.10));
  CHECK(allocated_gibibytes("tests/accuracy/qlora/405b.yaml") == doctest::Approx(44.8).epsilon(0.10));
}

TEST_CASE("QLoRA of a 70B fits one GPU of 48 GB, LoRA does not") {
  const std::string file = "scenarios/llama3.1-70b-qlora-l40s.yaml";
  CHECK(!planner::make_plan(scenario(file)).memory->device.overflows());
  CHECK(planner::make_plan(scenario(file, {"job.task=lora"})).memory->device.overflows());
}

TEST_CASE("Muon's modes: 632, 356 and 157 ms, their ratios within 25 %") {
  const double duplicated = optimizer_step("duplicated"), distributed = optimizer_step("distributed"),
               sharded = optimizer_step("layer-sharded");
  CHECK(distributed / duplicated == doctest::Approx(356.0 / 632).epsilon(0.25));
  CHECK(sharded / duplicated == doctest::Approx(157.0 / 632).epsilon(0.25));
  CHECK(sharded / distributed == doctest::Approx(157.0 / 356).epsilon(0.25));
}
