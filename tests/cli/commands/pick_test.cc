// --pick best, where a value is odd or nothing is feasible; conditions and limits that have no value everywhere.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

using Json = nlohmann::ordered_json;

namespace {

const char* const kOpen = R"(model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64, tokens: 1e10}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism: {tp: [3, 2, 1], dp: cluster.gpus / tp, zero: 1}
)";

using Args = std::vector<std::string>;

Ran picked(const char* command, const Args& more, const Args& sets, const std::string& text = kOpen) {
  Args args{command, "-", "--pick", "best"};
  args.insert(args.end(), more.begin(), more.end());
  for (const std::string& set : sets) args.insert(args.end(), {"--set", set});
  return ran(args, text);
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("--pick best with nothing feasible prints the nearest miss, and by how much it misses") {
  const Ran r = picked("plan", {"--format", "json"}, {"goal.deadline=1 s"});
  CHECK(r.status == 3);
  CHECK(holds(r.err, "none of 3 candidates is feasible"));
  CHECK(holds(r.err, "this one fits, and is nearest to the goal"));
  const Json plan = Json::parse(r.out);
  CHECK(plan["feasible"] == false);
  CHECK(plan["scenario"]["parallelism"]["tp"] == 1);  // the fastest
  CHECK(plan["violations"][0]["rule"] == "deadline");
  CHECK(plan["step"]["seconds"] > 0);
  const std::string page = picked("plan", {}, {"goal.deadline=1 s"}).out;
  CHECK(page.starts_with("gpt3-1.3b on 8 x a100-sxm-80gb: "));
  CHECK(holds(page.substr(0, page.find("\n\n")), " over the"));
  const Ran small = picked("plan", {}, {"cluster.gpu.memory=1 GiB"});
  CHECK(holds(small.err, "this one is nearest to its memory"));
  CHECK(small.out.starts_with("gpt3-1.3b on 8 x a100-sxm-80gb: not feasible"));
}

TEST_CASE("--pick best where no layout can be: its violations; where no value can be: no plan") {
  const Ran none = picked("plan", {"--format", "json"}, {"job.global_batch=7"});
  CHECK(none.status == 3);
  const Json plan = Json::parse(none.out);
  CHECK(plan["violations"][0]["rule"] == "batch");
  CHECK(plan["step"].is_null());
  const Ran never = picked("plan", {}, {"parallelism.tp=[3, 5]"});
  CHECK(never.status == 3);
  CHECK(never.out == "");
  CHECK(holds(never.err, "none of 2 candidates is feasible (trainplan search says why)\n"));
}

TEST_CASE("the other commands show such a candidate too, and end with the same status") {
  CHECK(picked("ops", {"--top", "1"}, {"goal.deadline=1 s"}).status == 3);
  TestFolder folder;
  const Ran compared = picked("compare", {folder.add("other.yaml", kSmallJob)}, {"goal.deadline=1 s"});
  CHECK(compared.status == 3);
  CHECK(holds(compared.out, "gpt3-1.3b"));
}

TEST_CASE("any text that is chosen can be given back") {
  const std::string open = std::string(kOpen) + "operator_models: {gemm: [\"\", wave]}\n";
  const Ran empty = picked("plan", {"--format", "json"}, {"operator_models.gemm=[\"\", roofline]"}, kOpen);
  CHECK_MESSAGE(empty.status == 0, empty.err);
  const Ran verified = ran({"search", "-", "--verify", "10", "--sensitivity"}, open);
  CHECK_MESSAGE(verified.status == 0, verified.err);
  CHECK(holds(verified.err, ": 0 differ"));
}

TEST_CASE("a condition that divides by zero does not hold, in a search as in a plan") {
  const std::string condition = "where=[\"step / (tp - 2) > 0 s\"]";
  const Ran searched = ran({"search", "-", "--set", condition, "--format", "json"}, kOpen);
  CHECK(searched.status == 3);  // tp 1: negative; tp 2: nothing
  CHECK(Json::parse(searched.out)["space"]["rejected"]["where"] == 2);
  const Ran plan = ran({"plan", "-", "--set", condition, "--set", "parallelism.tp=2", "--format", "json"}, kOpen);
  CHECK(plan.status == 3);
  CHECK(Json::parse(plan.out)["violations"] ==
        Json::parse(R"([{"rule": "where", "message": "'step / (tp - 2) > 0 s' does not hold: division by zero"}])"));
  CHECK(holds(plan.err, "--set:1:17: warning: division by zero"));
  const Ran priced = ran({"plan", "-", "--set", "where=[usd < 1e9 USD]", "--set", "parallelism.tp=2", "--set",
                          "cluster.price=null", "--format", "json"},
                         kOpen);
  CHECK(priced.status == 3);
  CHECK(holds(priced.out, "'usd < 1e9 USD' does not hold: 'usd' has no value in this plan"));
}

TEST_CASE("a deadline or a budget that is a choice itself is told as one") {
  const Ran r = ran({"search", "-", "--set", "goal={deadline: [1 d, 100 d], budget: [1e3 USD, 1e6 USD]}"}, kOpen, 160);
  CHECK(
      holds(r.out, "goal: smallest step (the scenario names none), within an open deadline, within an open budget\n"));
  CHECK(holds(ran({"search", "-", "--set", "goal.deadline=100 d"}, kOpen).out, ", within 100.0 d\n"));
}

TEST_CASE("what was told once is not told again behind an override") {
  TestFolder folder;
  const std::string good = folder.add("good.yaml", kSmallJob), lost = folder.add("lost.yaml", "extends: nix.yaml\n");
  const struct {
    std::string file;
    Args sets;
    const char* says;
  } rows[] = {{good, {"model=gpt3-1.3b"}, "expected a map of fields for model"},
              {good, {"model.use=nix"}, "no model named 'nix'"},
              {good, {"model.use=nix", "model.layers=3"}, "no model named 'nix'"},
              {good, {"model.use=nix", "model={layers: 3}"}, "no model named 'nix'"},
              {good, {"cluster.gpu=a100-sxm-80gb"}, "expected a map of fields for cluster.gpu"},
              {good, {"cluster.gpu.use=nix", "cluster.gpu.memory=80 GB"}, "no accelerator named 'nix'"},
              {lost, {"cluster.gpus=8"}, "no file"},
              {lost, {"job={sequence: 3}", "model.layers=3"}, "no file"}};
  for (const auto& row : rows)
    for (const char* command : {"plan", "search"}) {
      Args args{command, row.file};
      for (const std::string& set : row.sets) args.insert(args.end(), {"--set", set});
      const Ran r = ran(args);
      INFO(r.err);
      CHECK(r.status == 1);
      CHECK(count(r.err, "error:") == 1);
      CHECK(holds(r.err, row.says));
    }
}
