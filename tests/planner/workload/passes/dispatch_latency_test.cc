// Exchanges of tokens against measured latencies: arXiv:2603.07685 (Scalable Training of Mixture-of-Experts Models with
// Megatron Core), table 7: 4,096 tokens of 7,168 values in bf16, 256 experts in eight groups, eight experts a token.
#include <doctest/doctest.h>

#include <cmath>

#include "planner/workload/cost.h"
#include "planner/workload/passes/passes.h"
#include "tests/planner/sample.h"

namespace {

struct Row {
  const char *cluster, *dispatch;
  int64_t ep;
  double to_us, from_us;  // dispatch, combine
};
constexpr Row kTable7[] = {
    {"gb200-nvl72", "hybrid", 8, 391, 353},      {"gb200-nvl72", "hybrid", 16, 578, 527},
    {"gb200-nvl72", "hybrid", 32, 612, 646},     {"gb200-nvl72", "hybrid", 64, 675, 744},
    {"gb200-nvl72", "all-to-all", 8, 735, 741},  {"gb200-nvl72", "all-to-all", 16, 743, 765},
    {"gb200-nvl72", "all-to-all", 32, 769, 758}, {"gb200-nvl72", "all-to-all", 64, 930, 827},
    {"dgx-h100", "per-node", 8, 661, 624},       {"dgx-h100", "per-node", 16, 1485, 1688},
    {"dgx-h100", "per-node", 32, 3064, 3088},    {"dgx-h100", "per-node", 64, 4626, 4398},
    {"dgx-h100", "all-to-all", 8, 1265, 1277},   {"dgx-h100", "all-to-all", 16, 5774, 5628},
    {"dgx-h100", "all-to-all", 32, 8059, 7815},  {"dgx-h100", "all-to-all", 64, 9164, 8727},
};

/// Microseconds of the exchange `name` in one layer.
double exchange_us(const Row& row, const char* name) {
  const std::string ranks = std::to_string(row.ep);
  const planner::Scenario s = sample::scenario(
      "model: {use: deepseek-v3}\njob: {sequence: 4096, global_batch: " + ranks + "}\ncluster: {use: " + row.cluster +
      ", gpus: " + ranks + "}\nsoftware: {use: megatron-core, experts: {dispatch: " + row.dispatch +
      "}}\nparallelism: {ep: " + ranks + "}\n");
  const planner::CostedWorkload costed = planner::cost_workload(s, planner::build_workload(s));
  for (const planner::CostedBlock& block : costed.blocks)
    for (const planner::CostedOp& op : block.ops)
      if (op.work->name.str() == name) return 1e6 * op.cost.seconds.value;
  return 0;
}

}  // namespace

TEST_CASE("exchanges of tokens take what was measured, within a quarter, in the mean within 5 %") {
  double log_sum = 0;
  for (const Row& row : kTable7)
    for (bool back : {false, true}) {
      const double predicted = exchange_us(row, back ? "experts.combine" : "experts.dispatch");
      const double ratio = predicted / (back ? row.from_us : row.to_us);
      INFO(std::string(row.cluster), " ", std::string(row.dispatch), " ep ", row.ep,
           back ? " back: " : " there: ", ratio);
      CHECK(ratio > 0.75);
      CHECK(ratio < 1.25);
      log_sum += std::log(ratio);
    }
  CHECK(std::fabs(log_sum / (2.0 * std::size(kTable7))) < 0.05);
}
