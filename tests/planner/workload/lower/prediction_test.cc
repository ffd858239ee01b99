// Prediction layers of a hybrid model: the kinds that `model.mtp_pattern` names, or the last one.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "planner/plan/throughput.h"
#include "tests/planner/sample.h"

using planner::Block;
using planner::BlockKind;

namespace {

planner::Scenario hybrid(const std::string& prediction, const std::vector<std::string>& sets = {}) {
  return sample::scenario(
      "model: {layers: 4, hidden: 1024, ffn: 4096, heads: 16, vocab: 32000, bias: false, norm: "
      "rmsnorm, pattern: (M*)x2,\n  experts: {count: 8, top_k: 2, ffn: 512}, " +
          prediction +
          "kinds: [{use: mamba2}, {use: attention}, {use: mlp}, {use: experts}]}\n"
          "job: {sequence: 2048, global_batch: 16}\ncluster: {use: dgx-h100, gpus: 8}\n"
          "software: {use: megatron-core}\n",
      sets);
}

const Block& prediction_of(const planner::Workload& w) {
  const auto at = std::ranges::find(w.blocks, BlockKind::prediction, &Block::kind);
  REQUIRE(at != w.blocks.end());
  return *at;
}

double weights(const Block& block) {
  double sum = 0;
  for (const planner::Weight& w : block.weights) sum += w.parameters;
  return sum;
}

double layer(const planner::Scenario& s, const char* name) {
  for (size_t i = 0; i < s.model.kinds.size(); ++i)
    if (s.model.kinds[i].name == name)
      return planner::layer_parameters(s.model,
                                       {.experts = s.model.kinds[i].feed_forward == planner::FeedForward::experts,
                                        .windowed = false,
                                        .row = static_cast<int>(i)});
  return 0;
}

// Two norms of the joined inputs, their projection, the final norm again, and the embedding in addition to an untied
// head.
constexpr double kJoin = 2 * 1024.0 + 2 * 1024.0 * 1024 + 1024 + 32000.0 * 1024;

}  // namespace

TEST_CASE("a prediction layer has the weights of the kinds that it names, without a name those of the last") {
  struct Row {
    const char* prediction;
    std::vector<const char*> kinds;
  };
  const Row rows[] = {{"mtp: 1, ", {"attention"}},
                      {"mtp: 1, mtp_pattern: M, ", {"mamba2"}},
                      {"mtp: 1, mtp_pattern: '*E', ", {"attention", "experts"}},
                      {"mtp: 2, mtp_pattern: 'M-', ", {"mamba2", "mlp"}},
                      {"mtp: 1, mtp_pattern: '(M-)x2', ", {"mamba2", "mlp", "mamba2", "mlp"}}};
  for (const Row& row : rows) {
    CAPTURE(std::string(row.prediction));
    const planner::Scenario s = hybrid(row.prediction);
    double expected = kJoin;
    for (const char* kind : row.kinds) expected += layer(s, kind);
    CHECK(weights(prediction_of(sample::workload(s))) == expected);
    CHECK(planner::prediction_kinds(s.model).size() == row.kinds.size());
  }
}

TEST_CASE("FLOPs of prediction layers are those of their kinds") {
  const auto flops = [](const std::string& prediction) {
    return planner::forward_flops(hybrid(prediction).model, 1, 2048, false);
  };
  const double none = flops(""), attention = flops("mtp: 1, "), experts = flops("mtp: 1, mtp_pattern: 'E', ");
  CHECK(flops("mtp: 1, mtp_pattern: '*', ") == attention);
  const double join = 4 * 1024.0 * 1024 + 2 * 1024.0 * 32000;
  CHECK(flops("mtp: 1, mtp_pattern: '*E', ") == doctest::Approx(attention + experts - none - join).epsilon(1e-12));
}

TEST_CASE("experts of a prediction layer are dealt like those of the model") {
  const planner::Scenario s = hybrid("mtp: 1, mtp_pattern: 'E*', ", {"parallelism.ep=8", "parallelism.dp=8"});
  const Block block = prediction_of(sample::workload(s));
  CHECK(block.layer.experts);
  CHECK(!sample::named(block.ops, "experts.dispatch").empty());
}
