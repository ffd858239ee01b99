// The layout that a search finds by itself against a space written by hand that has more of everything.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

namespace {

double best_step(const std::string& text) {
  const Ran r = ran({"search", "-", "--top", "1", "--format", "json"}, text);
  CAPTURE(text);
  REQUIRE_MESSAGE(r.status == 0, r.err);
  return nlohmann::json::parse(r.out)["plans"][0]["step_seconds"];
}

/// Degrees beyond a node, context parallelism of short sequences, all shares of experts.
constexpr const char* kByHand = R"(
parallelism:
  tp: [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]
  pp: divisors(cluster.gpus)
  cp: [1, 2, 4, 8]
  ep: divisors(max(1, model.experts.count))
  etp: 'if(model.experts.count > 0, [1, 2, 4, 8], [1])'
  microbatch: divisors(job.global_batch)
  interleave: divisors(model.layers)
  sequence_parallel: [false, true]
  recompute: [none, selective, full]
  zero: [0, 1]
  order: [tp-cp-ep-dp-pp, tp-cp-ep-pp-dp]
goal: {headroom: 0.05}
)";

}  // namespace

TEST_CASE("the automatic layout is never worse than the best of a space written by hand") {
  for (const char* model : {"gpt3-175b", "llama3-8b", "llama3-70b", "llama3.1-405b", "mixtral-8x7b", "megatron-22b"})
    for (const char* cluster : {"dgx-a100-80gb", "dgx-h100", "dgx-b200", "gb200-nvl72"}) {
      const std::string text = std::string("model: {use: ") + model +
                               "}\njob: {sequence: 4096, global_batch: 576, tokens: 1e12}\ncluster: {use: " + cluster +
                               ", gpus: 288}\n";
      CAPTURE(model);
      CAPTURE(cluster);
      const double by_hand = best_step(text + kByHand);
      CHECK(best_step(text) <= by_hand * (1 + 1e-12));
    }
}
