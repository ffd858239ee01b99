// `trainplan search --solve PATH --until CONDITION`.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kText = R"(model: {layers: 8, hidden: 1024, heads: 16, vocab: 51200, positions: 1024}
job: {sequence: 1024, global_batch: 64, tokens: 1e9}
cluster: {use: dgx-a100-80gb, gpus: 16, price: null}
parallelism: {tp: [4, 8], microbatch: [1, 2]}
)";

Ran solve(const std::string& path, const std::string& until, std::vector<std::string> more = {}) {
  std::vector<std::string> args{"search", "-", "--solve", path, "--until", until};
  args.insert(args.end(), more.begin(), more.end());
  return ran(args, kText, 100);
}

Json solved(const std::string& path, const std::string& until, std::vector<std::string> more = {}, int status = 0) {
  more.insert(more.end(), {"--format", "json"});
  const Ran r = solve(path, until, more);
  CHECK_MESSAGE(r.status == status, r.err);
  CHECK(!has_nan(r.out));
  return Json::parse(r.out);
}

double best_mfu(const std::string& path, const std::string& value) {
  const Ran r = ran({"search", "-", "--format", "json", "--set", path + "=" + value}, kText);
  return Json::parse(r.out)["plans"][0]["mfu"];
}

}  // namespace

TEST_CASE("--solve finds the value at which the best plan begins to meet a condition") {
  const double now = best_mfu("job.tokens", "1e9");
  const std::string asked = std::to_string(now * 0.9);
  const std::string until = "mfu >= " + asked;
  const Json j = solved("cluster.network.intra_node.bandwidth", until);
  const Json& s = j["solve"];
  std::vector<std::string> keys;
  for (const auto& [key, value] : s.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"field", "until", "outcome", "value", "text", "start", "holds", "fails",
                                         "evaluations", "exceptions", "trials"});
  CHECK(s["field"] == "cluster.network[0].bandwidth");
  CHECK(s["outcome"] == "found");
  CHECK(s["start"] == 300e9);
  CHECK(s["value"] < 300e9);
  CHECK(s["trials"].size() == s["evaluations"]);
  CHECK(s["holds"]["mfu"] >= std::stod(asked));
  CHECK(s["fails"]["mfu"] < std::stod(asked));
  CHECK(s["holds"]["left"] == s["holds"]["mfu"]);
  CHECK(best_mfu("cluster.network[0].bandwidth", s["text"]) == s["holds"]["mfu"].get<double>());
  CHECK(best_mfu("cluster.network[0].bandwidth", s["fails"]["text"]) == s["fails"]["mfu"].get<double>());
  CHECK(j["plans"][0]["mfu"] == s["holds"]["mfu"]);  // the search at that value
}

TEST_CASE("--solve ends a count on a whole number, and says where a goal cannot be reached") {
  const Json count = solved("job.tokens", "job.tokens < 1234", {"--set", "job.tokens=1000"})["solve"];
  CHECK(count["value"] == 1233);
  CHECK(count["fails"]["value"] == 1234);
  const Json never = solved("parallelism.zero", "mfu > 0.99", {}, 3)["solve"];
  CHECK(never["outcome"] == "never");
  CHECK(never["value"].is_null());
  CHECK(never["trials"].size() == 4);  // 0 to 3, the limits of the field
  CHECK(never["trials"].back()["left"] > 0);
  CHECK(solved("parallelism.zero", "mfu > 0.01")["solve"]["outcome"] == "always");
  const Ran page = solve("parallelism.zero", "mfu > 0.99");
  CHECK(page.status == 3);
  CHECK(page.out.find("holds at no value that was tried") != std::string::npos);
  CHECK(page.out.find("What it comes to at the ends") != std::string::npos);
}

TEST_CASE("--solve: mistakes are told at their places") {
  const struct {
    const char *path, *until, *says;
    int status;
  } rows[] = {
      {"cluster.network.nvlink.bandwith", "mfu > 1", "did you mean 'cluster.network[0].bandwidth'?", 1},
      {"cluster.network.inter_node.bandwith", "mfu > 1", "did you mean 'cluster.network[1].bandwidth'?", 1},
      {"job.precision", "mfu > 1", "--solve:1:1: error: --solve moves a number", 1},
      {"cluster.price", "mfu > 1", "cluster.price has no value to start from", 1},
      {"parallelism.dp", "mfu > 1", "give it one with --set parallelism.dp=", 1},
      {"job.tokens", "mfuu > 1", "--until:1:1: error: unknown name 'mfuu'", 1},
      {"job.tokens", "mfu", "expected a condition for --until", 1},
      {"job.tokens", "mfu > 1 GB", "--until:1:", 1},
      {"job.tokens", "usd < 1 USD", "'usd' has no value in this plan", 1},
  };
  for (const auto& row : rows) {
    CAPTURE(row.path);
    CAPTURE(row.until);
    const Ran r = solve(row.path, row.until);
    CHECK(r.status == row.status);
    CHECK(r.out == "");
    CHECK_MESSAGE(r.err.find(row.says) != std::string::npos, r.err);
  }
  CHECK(ran({"search", "-", "--solve", "job.tokens"}, kText).status == 2);
  CHECK(ran({"search", "-", "--until", "mfu > 1"}, kText).status == 2);
  CHECK(solve("job.tokens", "days < 1 h", {"--shard", "1/2"}).status == 2);
}

TEST_CASE("--solve of an open choice closes it, and a condition may read what was chosen") {
  const Json j = solved("parallelism.microbatch", "parallelism.microbatch * tp < 16"), &s = j["solve"];
  CHECK(s["start"] == 1);
  CHECK(s["outcome"] == "found");
  for (const Json& trial : s["trials"]) {
    CHECK(!trial["choices"].contains("parallelism.microbatch"));
    if (!trial["feasible"]) continue;
    const int64_t product = trial["value"].get<int64_t>() * trial["choices"]["parallelism.tp"].get<int64_t>();
    CHECK(trial["left"] == product);
    CHECK(trial["right"] == 16);
    CHECK(trial["holds"] == (product < 16));
  }
  for (const Json& row : j["plans"]) CHECK(row["parallelism"]["microbatch"] == s["value"]);
}

TEST_CASE("--solve warns where a field acts both ways, unless --quiet") {
  const Ran both = solve("job.tokens", "job.tokens >= 3000 and job.tokens < 5000", {"--set", "job.tokens=1000"});
  CHECK(both.err.find("warning: job.tokens does not act one way only: at ") != std::string::npos);
  CHECK(solve("job.tokens", "job.tokens >= 3000 and job.tokens < 5000", {"--set", "job.tokens=1000", "--quiet"}).err ==
        "");
}

TEST_CASE("which choices there are may follow the field: each trial names its own") {
  const std::string text = R"(model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64, tokens: 1e9}
cluster: {use: dgx-h100, gpus: 1}
parallelism: auto
goal: {minimize: days}
)";
  const Ran r = ran({"search", "-", "--solve", "cluster.gpus", "--until", "days < 0.05 d", "--format", "json"}, text);
  REQUIRE_MESSAGE(r.status == 0, r.err);
  const Json trials = Json::parse(r.out)["solve"]["trials"];
  CHECK(trials.size() > 4);
  for (const Json& trial : trials) {
    if (!trial["feasible"].get<bool>()) continue;
    const std::string gpus = "cluster.gpus=" + trial["text"].get<std::string>();
    const Json found = Json::parse(ran({"search", "-", "--set", gpus, "--top", "2", "--format", "json"}, text).out);
    const Json& plans = found["plans"];  // the first may be the more usual, and not the faster one
    const Json best = plans.size() > 1 && plans[1]["days"] < plans[0]["days"] ? plans[1] : plans[0];
    CHECK(trial["choices"] == best["choices"]);
    CHECK(trial["step_seconds"] == best["step_seconds"]);
  }
}
