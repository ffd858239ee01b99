// Which GEMMs of a block may share the GPU, and what sharing makes of a plan.
#include "planner/workload/concurrent.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "planner/plan/ops.h"
#include "planner/plan/violations.h"
#include "planner/workload/cost.h"
#include "tests/planner/sample.h"
#include "tests/planner/workload/lower/fixed_sample.h"
#include "tests/planner/workload/lower/mixtures.h"

using planner::ConcurrentGroup;
using planner::OperatorRow;
using planner::Scenario;
using sample::gpt;
using sample::Sets;
using sample::operator+;

namespace {

std::set<std::set<std::string>> groups(const Scenario& s) {
  const planner::CostedWorkload c = planner::cost_workload(s, sample::workload(s));
  std::set<std::set<std::string>> names;
  for (size_t b = 0; b < c.blocks.size(); ++b) {
    if (c.workload.blocks[b].kind != planner::BlockKind::layer) continue;
    for (const ConcurrentGroup& group : planner::concurrent_groups(s, c.blocks[b].ops)) {
      std::set<std::string> members;
      for (const int i : group.ops) members.insert(c.blocks[b].ops[static_cast<size_t>(i)].work->name.str());
      names.insert(members);
    }
  }
  return names;
}

const Sets kSmall{"model.hidden=512", "model.heads=8", "model.ffn=2048", "job.sequence=256"};
double step(const Sets& sets) { return sample::plan(gpt(kSmall + sets)).step->seconds; }

}  // namespace

TEST_CASE("queries, keys and values are independent, and both gradients of a product") {
  const auto apart = groups(gpt({"software.fusion.qkv=false"}));
  CHECK(apart.contains({"attention.q", "attention.k", "attention.v"}));
  CHECK(apart.contains({"attention.q.dgrad", "attention.k.dgrad", "attention.v.dgrad", "attention.q.wgrad",
                        "attention.k.wgrad", "attention.v.wgrad"}));
  CHECK(apart.contains({"mlp.fc1.dgrad", "mlp.fc1.wgrad"}));
  const auto together = groups(gpt());
  CHECK(!together.contains({"attention.q", "attention.k", "attention.v"}));
  CHECK(together.contains({"mlp.fc2.dgrad", "mlp.fc2.wgrad"}));
}

TEST_CASE("experts of a rank are alike where each has a kernel of its own") {
  const Scenario s = sample::scenario(mixtures::kMixture, {"software.experts.grouped=false"});
  const planner::CostedWorkload c = planner::cost_workload(s, sample::workload(s));
  int64_t most = 0;
  for (const planner::CostedBlock& block : c.blocks)
    for (const ConcurrentGroup& group : planner::concurrent_groups(s, block.ops))
      most = std::max(most, *std::ranges::max_element(group.copies));
  CHECK(most > 1);
}

TEST_CASE("recurrent layers run side by side in their steps, and both directions of one") {
  const auto found = [](const Sets& sets) {
    const Scenario s = sample::scenario(sample::kVega, Sets{"model.use=gnmt", "job.sequence=5"} + sets);
    const planner::CostedWorkload c = planner::cost_workload(s, sample::workload(s));
    std::map<std::string, int64_t> copies;  // by the first of a group
    for (const planner::CostedBlock& block : c.blocks)
      for (const ConcurrentGroup& g : planner::concurrent_groups(s, block.ops)) {
        int64_t all = 0;
        for (const int64_t each : g.copies) all += each;
        copies[block.ops[static_cast<size_t>(g.ops[0])].work->name.str()] = all;
      }
    return copies;
  };
  const auto fused = found({});
  CHECK(fused.at("encoder.lstm1.hidden") == 2);         // both directions
  CHECK(!fused.contains("encoder.lstm.hidden"));        // a layer waits for all steps of the one below
  CHECK(!fused.contains("encoder.lstm.hidden.dgrad"));  // nor does its weights' gradient run beside each step
  const auto by_step = found({"software.fusion.recurrent=false"});
  CHECK(by_step.at("encoder.lstm1.input") == 4);
  CHECK(by_step.at("encoder.lstm.input") == 10);  // of six layers five, the number of steps: inputs and states
  CHECK(by_step.at("encoder.lstm.input.dgrad") == 10);
  CHECK(by_step.at("encoder.lstm.input.wgrad") == 10);
}

TEST_CASE("every policy computes the same FLOP, and an oracle's step is not longer than one GEMM after the other") {
  const double alone = step({});
  for (const char* policy :
       {"default", "go", "oracle", "cu-partition", "resource-partition", "cu-partition-go", "resource-partition-go"}) {
    CAPTURE(std::string(policy));
    const Sets sets = kSmall + Sets{"software.concurrency=" + std::string(policy)};
    const auto flops = [](const Scenario& s) {
      double sum = 0;
      for (const OperatorRow& r : planner::operator_rows(s)) sum += r.count * r.flops;
      return sum;
    };
    CHECK(flops(gpt(sets)) == doctest::Approx(flops(gpt(kSmall))));
  }
  CHECK(step({"software.concurrency=oracle"}) <= alone);
  CHECK(step({"software.concurrency=go"}) <= step({"software.concurrency=default"}) * (1 + 1e-9));
  CHECK(step({"software.concurrency=sequential"}) == alone);
}

TEST_CASE("instances of a forward job hold their weights each, and may share the GPU") {
  const Sets forward = kSmall + Sets{"job.phase=forward"};
  const auto plan = [&](const Sets& sets) { return sample::plan(gpt(forward + sets)); };
  const planner::Plan one = plan({}), four = plan({"software.instances=4"});
  CHECK(four.step->seconds == one.step->seconds);  // in turns
  CHECK(four.memory->stages[0].weights == 4 * one.memory->stages[0].weights);
  const Sets side_by_side{"software.instances=4", "software.concurrency=oracle"};
  CHECK(plan(side_by_side).step->seconds < one.step->seconds);
  for (const OperatorRow& r : planner::operator_rows(gpt(forward + side_by_side)))
    CHECK((r.kind == "gemm" || (r.at_once == 1 && r.gain == 1)));
}

TEST_CASE("what does not go together is a rule of layouts") {
  const auto rule = [](const Sets& sets) {
    const char* broken = planner::broken_layout_rule(gpt(sets));
    return std::string(broken ? broken : "");
  };
  CHECK(rule({"software.instances=2"}) == "concurrency");
  CHECK(rule({"software.concurrency=oracle", "parallelism.pp=2", "parallelism.schedule=zb-h1"}) == "concurrency");
  CHECK(rule({"software.concurrency=oracle", "parallelism.pp=2"}).empty());
}
