// A metric is one line of its struct's `fields`: it then appears wherever results are printed, read back or requested.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"

namespace {

using Args = std::vector<std::string>;

// One line of RunCost, in every command that shows results of many plans.
const char* const kMetric = "co2_kg";
const char* const kOpen = R"(
model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64, tokens: 1e10}
cluster: {use: dgx-a100-80gb, gpus: 8, carbon: 0.4}
parallelism: {microbatch: [1, 2, 4]}
goal: {minimize: step}
)";
const Args kFixed{"--set", "parallelism.microbatch=1"};

std::string out(Args args, const Args& more = {}, const std::string& in = kOpen) {
  args.insert(args.end(), more.begin(), more.end());
  const Ran r = ran(args, in);
  CHECK_MESSAGE(r.status == 0, r.err);
  return r.out;
}

/// How often a figure of the metric is there: with a number, which is not null.
size_t figures(const std::string& json) {
  const std::string member = std::string("\"") + kMetric + "\":";
  size_t found = 0;
  for (size_t at = 0; (at = json.find(member, at)) != std::string::npos; at += member.size()) {
    const size_t value = json.find_first_not_of(' ', at + member.size());
    found += json.compare(value, 4, "null") != 0;
  }
  return found;
}

}  // namespace

TEST_CASE("a metric with one line is a figure of each command that prints results") {
  CHECK(figures(out({"plan", "-", "--format", "json"}, kFixed)) == 1);
  CHECK(figures(out({"search", "-", "--format", "json"})) == 3);
  CHECK(figures(out({"sweep", "-", "--format", "ndjson"})) == 3);
  CHECK(figures(out({"clusters", "-", "--format", "json"}, kFixed)) == 1);
  Args step = kFixed;
  step.insert(step.end(), {"--set", "roadmap=[flop-vs-bw]"});
  CHECK(figures(out({"roadmap", "-", "--format", "json"}, step)) > 1);
  const std::string csv = out({"sweep", "-", "--format", "csv", "--columns", "index,co2_kg"});
  CHECK(csv.starts_with("index,co2_kg\n0,"));
}

TEST_CASE("a metric may be asked for, is an axis, and comes back from a shard") {
  CHECK(figures(out({"search", "-", "--format", "json", "--set", "goal.minimize=co2_kg"})) == 3);
  CHECK(out({"search", "-", "--format", "svg", "--pareto", "co2_kg,step"}).find("CO2 of the run, kg") !=
        std::string::npos);
  const Args search{"search", "-", "--format", "json"};
  const std::string whole = out(search), shard = out(search, {"--shard", "1/1"});
  const std::string merged = out({"merge", "-", "--format", "json"}, {}, shard);
  CHECK(figures(merged) == figures(whole));
  const std::string wrong =
      shard.substr(0, shard.find("\"co2_kg\"")) + "\"co2_tons\"" + shard.substr(shard.find("\"co2_kg\"") + 8);
  const Ran refused = ran({"merge", "-"}, wrong);
  CHECK(refused.status == 1);
  CHECK(refused.err.find("co2_kg") != std::string::npos);
}

TEST_CASE("the schema of an output and the page about it have the line of each figure") {
  std::ifstream file(std::string(TRAINPLAN_SOURCE_DIR) + "/docs/output/plan.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  CHECK(page.find("| cost.co2_kg | kg of CO2 for that energy; null without `cluster.carbon` | co2_kg | co2_kg |") !=
        std::string::npos);
  for (const char* kind : {"plan", "search", "sweep", "clusters", "roadmap"}) {
    CAPTURE(std::string(kind));
    CHECK(out({"schema", std::string("output/") + kind}).find("\"co2_kg\"") != std::string::npos);
  }
}
