// Layouts that a search finds automatically (planner/resolve/layout_policy.h).
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kModel =
    "model: {use: llama3-70b}\njob: {sequence: 8192, global_batch: 512, tokens: 1e12}\n"
    "cluster: {use: dgx-h100, gpus: 64}\nsoftware: {use: megatron-core}\n";

Json json(std::vector<std::string> args, const std::string& text) {
  args.insert(args.end(), {"--format", "json"});
  const Ran r = ran(args, text);
  REQUIRE_MESSAGE(r.status == 0, r.err);
  return Json::parse(r.out);
}

}  // namespace

TEST_CASE("of a scenario without a layout, search finds the best, and plan --pick best is it") {
  const Json found = json({"search", "-"}, kModel);
  CHECK(found["space"]["opened"].size() == 11);
  CHECK(found["space"]["feasible"] > 100);
  const Json& best = found["plans"][0];
  const Json plan = json({"plan", "-", "--pick", "best"}, kModel);
  CHECK(plan["step"]["seconds"] == best["step_seconds"]);
  CHECK(plan["feasible"] == true);
  CHECK(plan["memory"]["fit"]["probability"] >= 0.5);  // goal.fit
  const Ran page = ran({"search", "-"}, kModel);
  CHECK(page.out.find("left to the search, as nothing is written for them: tp, pp") != std::string::npos);
  // The same written explicitly; and not at all.
  CHECK(json({"search", "-"}, kModel + "parallelism: auto\n")["plans"] == found["plans"]);
  const Ran none = ran({"search", "-", "--set", "parallelism.auto=false"}, kModel);
  CHECK(none.status == 3);
  CHECK(none.out.find("1 candidates") != std::string::npos);
}

TEST_CASE("what is written stays; a plan without --pick says what to do") {
  const Json found = json({"search", "-", "--top", "1000"}, kModel + "parallelism: {tp: 2, recompute: full}\n");
  for (const Json& plan : found["plans"]) {
    CHECK(plan["parallelism"]["tp"] == 2);
    CHECK(plan["parallelism"]["recompute"] == "full");
  }
  const Ran aloud = ran({"plan", "-"}, kModel + "parallelism: auto\n");
  CHECK(aloud.status == 1);
  CHECK(aloud.err.find("--pick best takes the best one") != std::string::npos);
  CHECK(ran({"sweep", "-", "--format", "csv"}, kModel).out.find("choices.parallelism") == std::string::npos);
  const Ran opened = ran({"sweep", "-", "--top", "5", "--format", "csv"}, kModel + "parallelism: auto\n");
  CHECK(opened.out.find("choices.parallelism.tp") != std::string::npos);
  CHECK(std::ranges::count(opened.out, '\n') == 6);
}

TEST_CASE("--set may ask for the policy: what is read again after the search has its choices, and no question") {
  const std::vector<std::string> asks{"--set", "parallelism.auto=true", "--set", "parallelism.cp=1"};
  const auto with = [&](std::vector<std::string> args) {
    args.insert(args.end(), asks.begin(), asks.end());
    return args;
  };
  const std::string text = kModel + "parallelism: auto\nassert: mfu > 0.01\n";
  const Json found = json(with({"search", "-", "--explain", "1", "--top", "2"}), text);
  CHECK(found["explain"]["rank"] == 1);
  CHECK(found["assertions"][0]["holds"] == true);
  const Json plan = json(with({"plan", "-", "--pick", "best"}), text);
  CHECK(plan["step"]["seconds"] == found["plans"][0]["step_seconds"]);
  const Json rows = json(with({"clusters", "-"}), kModel + "goal: {minimize: step}\n");
  CHECK(rows["rows"][0]["step_seconds"] == found["plans"][0]["step_seconds"]);
}

TEST_CASE("shards open the same layout, and are united") {
  const std::string text = kModel + "parallelism: {tp: 8, recompute: none}\n";
  std::vector<std::string> files;
  const Json whole = json({"search", "-"}, text);
  const Json shard = json({"search", "-", "--shard", "1/2"}, text);
  CHECK(shard["space"]["opened"] == whole["space"]["opened"]);
  CHECK(shard["space"]["candidates"] < whole["space"]["candidates"]);
  CHECK(json({"search", "-", "--verify", "20"}, text)["plans"] == whole["plans"]);
}

// ---- against a space written by hand that has more of everything

namespace {

/// The first plan is the most usual of those that tie, and may be slower than the second.
double best_step(const std::string& text) {
  const Ran r = ran({"search", "-", "--top", "2", "--format", "json"}, text);
  CAPTURE(text);
  REQUIRE_MESSAGE(r.status == 0, r.err);
  double best = 1e300;
  const Json found = Json::parse(r.out);
  for (const Json& plan : found["plans"]) best = std::min(best, plan["step_seconds"].get<double>());
  return best;
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
)";

}  // namespace

TEST_CASE("the automatic layout is never worse than the best of a space written by hand") {
  for (const char* model : {"gpt3-175b", "llama3-8b", "llama3-70b", "llama3.1-405b", "mixtral-8x7b", "megatron-22b"})
    for (const char* cluster : {"dgx-a100-80gb", "dgx-h100", "dgx-b200", "gb200-nvl72"}) {
      const std::string text = std::string("model: {use: ") + model +
                               "}\njob: {sequence: 4096, global_batch: 576, tokens: 1e12}\ncluster: {use: " + cluster +
                               ", gpus: 288}\nsoftware: {use: megatron-core}\n";
      CAPTURE(model);
      CAPTURE(cluster);
      const double by_hand = best_step(text + kByHand);
      CHECK(best_step(text) <= by_hand * (1 + 1e-12));
    }
}

TEST_CASE("members of the layout are columns by their short names, of rows that were refused too") {
  const std::string text = kModel + "parallelism: {tp: [3, 8], pp: [4, 8], zero: 1, recompute: full}\n";
  const Ran sweep = ran({"sweep", "-", "--format", "csv", "--columns", "index,tp,zero"}, text);
  CHECK(sweep.out.starts_with("index,parallelism.tp,parallelism.zero\n0,,\n"));
  CHECK(sweep.out.find("\n2,8,") != std::string::npos);
  const Ran lines = ran({"sweep", "-", "--format", "ndjson", "--columns", "tp", "--top", "1"}, text);
  CHECK(lines.out.find("\"parallelism.tp\":null") != std::string::npos);
  const Ran search = ran({"search", "-", "--format", "csv", "--columns", "tp,pp", "--sort", "pp:desc"}, text);
  CHECK(search.out.starts_with("parallelism.tp,parallelism.pp\n8,"));
  const Ran none = ran({"search", "-", "--format", "csv", "--columns", "tp"}, kModel + "parallelism: {tp: [3, 5]}\n");
  CHECK(none.status == 3);
  CHECK(none.out == "parallelism.tp\n");
}
