// `trainplan search` and `sweep` through the command line.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "planner/plan/results.h"
#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const char* const kOpen = R"(
model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64, tokens: 1e10}
cluster: {use: dgx-a100-80gb, gpus: [8, 16]}
parallelism:
  tp: [1, 2, 3]
  pp: [1, 2]
  dp: cluster.gpus / (tp * pp)
  microbatch: divisors(job.global_batch / dp)
  zero: [0, 1]
goal: {minimize: usd}
)";

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> out;
  for (const auto& [key, value] : object.items()) out.push_back(key);
  return out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<std::string> row_keys(std::vector<std::string> front, const std::vector<std::string>& back = {}) {
  front.insert(front.end(), {"parallelism", "global_batch", "microbatches"});
  for (const planner::ResultRow& row : planner::column_figures()) front.emplace_back(row.about.column);
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

}  // namespace

TEST_CASE("search prints JSON with the keys of the contract") {
  const Ran r = ran({"search", "-", "--format", "json", "--pareto", "days,usd,memory.headroom", "--top", "3"}, kOpen);
  REQUIRE(r.status == 0);
  CHECK(r.err == "");
  CHECK(!has_nan(r.out));
  const Json j = Json::parse(r.out);
  CHECK(keys(j) == std::vector<std::string>{"format", "space", "best", "plans", "pareto"});
  CHECK(j["format"] == "trainplan.search/1");
  CHECK(keys(j["space"]) ==
        std::vector<std::string>{"candidates", "evaluated", "feasible", "uncertain", "rejected", "opened"});
  REQUIRE(j["plans"].size() == 3);
  CHECK(keys(j["plans"][0]) == row_keys({"rank", "tied", "choices"}));
  CHECK(keys(j["plans"][0]["choices"]) == std::vector<std::string>{"cluster.gpus", "parallelism.tp", "parallelism.pp",
                                                                   "parallelism.microbatch", "parallelism.zero"});
  int64_t rejected = 0;
  for (const auto& [rule, count] : j["space"]["rejected"].items()) rejected += count.get<int64_t>();
  CHECK(j["space"]["candidates"] == j["space"]["feasible"].get<int64_t>() + rejected);
  CHECK(j["space"]["rejected"]["divisibility"] == 4);  // tp 3
  for (size_t i = 0; i < 3; ++i) {
    const Json& row = j["plans"][i];
    CHECK(row["rank"] == i + 1);
    CHECK(row["no_overlap_seconds"] >= row["step_seconds"]);
    CHECK(row["perfect_overlap_seconds"] <= row["step_seconds"]);
    if (i > 0) CHECK(row["usd"] >= j["plans"][i - 1]["usd"]);
  }
}

TEST_CASE("sweep prints one line per combination, in order") {
  const Ran r = ran({"sweep", "-", "--format", "ndjson"}, kOpen);
  REQUIRE(r.status == 0);
  std::istringstream lines(r.out);
  int64_t index = 0;
  for (std::string line; std::getline(lines, line); ++index) {
    const Json j = Json::parse(line);
    CHECK(j["format"] == "trainplan.sweep/1");
    CHECK(j["index"] == index);
    CHECK(j["feasible"] == j["violations"].empty());
    CHECK(keys(j) == row_keys({"format", "index", "choices"}, {"feasible", "violations"}));
  }
  const Json searched = Json::parse(ran({"search", "-", "--format", "json"}, kOpen).out);
  CHECK(index == searched["space"]["candidates"]);
}

TEST_CASE("a sweep's lines leave one by one; sorted ones are the same lines") {
  const auto lines = [](std::vector<std::string> more) {
    std::vector<std::string> args{"sweep", "-", "--format", "ndjson", "--columns", "index,step_seconds"};
    args.insert(args.end(), more.begin(), more.end());
    std::istringstream text(ran(args, kOpen).out);
    std::vector<std::string> out;
    for (std::string line; std::getline(text, line);) out.push_back(line);
    return out;
  };
  const std::vector<std::string> all = lines({}), sorted = lines({"--sort", "index:asc"}),
                                 first = lines({"--top", "3"});
  CHECK(all == sorted);
  CHECK(first == std::vector<std::string>(all.begin(), all.begin() + 3));
  CHECK(ran({"sweep", "-", "--format", "ndjson", "--columns", "stepp"}, kOpen).status == 2);
}

TEST_CASE("search: exit statuses and messages") {
  const struct {
    std::vector<std::string> args;
    int status;
    const char* says;
  } rows[] = {
      {{"--set", "where=[tp > 8]"}, 3, "nothing is feasible"},
      {{"--set", "goal={minimize: usd, budget: 1 USD}"}, 3, "budget"},
      {{"--set", "goal={minimize: usd, deadline: 1 s}"}, 3, "deadline"},
      {{"--set", "goal={minimize: dollars}"}, 1, "unknown name 'dollars'"},
      {{"--set", "goal={minimize: usd, maximize: mfu}"}, 1, "not both"},
      {{"--set", "parallelism.tp=[]"}, 1, "empty choice"},
      {{"--set", "parallelism.schedule=[1f1b, gpip]"}, 1, "did you mean 'gpipe'"},
      {{"--pareto", "day"}, 2, "did you mean 'days'"},
      {{"--shard", "0/3"}, 2, "expected --shard I/N"},
      {{"--shard", "4/3"}, 2, "expected --shard I/N"},
      {{"--shard", "two"}, 2, "expected --shard I/N"},
      {{"--top", "0"}, 2, "--top"},
  };
  for (const auto& row : rows) {
    INFO(row.args[1]);
    std::vector<std::string> args{"search", "-"};
    args.insert(args.end(), row.args.begin(), row.args.end());
    const Ran r = ran(args, kOpen);
    CHECK(r.status == row.status);
    CHECK(has(r.out + r.err, row.says));
  }
}

TEST_CASE("search prints the same bytes for any number of threads") {
  const Ran one = ran({"search", "-", "--format", "json", "--pareto", "step,usd", "--threads", "1"}, kOpen);
  for (const char* threads : {"2", "3", "5"})
    CHECK(ran({"search", "-", "--format", "json", "--pareto", "step,usd", "--threads", threads}, kOpen).out == one.out);
}

TEST_CASE("search --verify plans candidates again, and finds the same bits") {
  for (const char* more :
       {"job.precision=bf16", "job.precision=[bf16, fp32]", "parallelism.zero=[1, 2, 3]",
        "parallelism.schedule=[1f1b, gpipe, zb-h1]", "software.overlap.gradients=[false, true]",
        "parallelism.offload.optimizer=[0, 0.5]", "cluster.network[0].bandwidth=[100 GB/s, 300 GB/s]",
        "parallelism.order=[tp-cp-ep-dp-pp, tp-cp-ep-pp-dp, dp-tp-cp-ep-pp]"}) {
    INFO(std::string(more));
    const Ran r = ran({"search", "-", "--verify", "30", "--set", more}, kOpen);
    CHECK(r.status == 0);
    CHECK(has(r.err, ": 0 differ"));
  }
}

TEST_CASE("a scenario without choices is a search of one") {
  const Ran r = ran({"search", "-", "--format", "json", "--set", "cluster.gpus=8", "--set",
                     "parallelism={auto: false, tp: 1, pp: 1, microbatch: 1, zero: 1}"},
                    kOpen);
  CHECK(r.status == 0);
  CHECK(Json::parse(r.out)["space"]["candidates"] == 1);
}
