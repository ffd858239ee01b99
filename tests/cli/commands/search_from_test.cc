// `search --from`: what would be better than a run.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kLaunchScript = TRAINPLAN_SOURCE_DIR "/tests/planner/import/megatron/gpt3-175b.sh";
const std::string kKnownRun = TRAINPLAN_SOURCE_DIR "/scenarios/llama3-70b-h100.yaml";

Json found_from(std::vector<std::string> words) {
  words.insert(words.end(), {"--format", "json", "--quiet"});
  const Ran search = ran(words);
  REQUIRE_MESSAGE(search.status == 0, search.err);
  return Json::parse(search.out);
}

}  // namespace

TEST_CASE("the run is the first row, with the figures of its plan, and the best is no worse") {
  const Json search = found_from({"search", "--from", kKnownRun});
  const Json plan = Json::parse(ran({"plan", kKnownRun, "--format", "json", "--quiet"}).out);
  const Json &run = search.at("run"), &best = search.at("plans").at(0);
  CHECK(run.at("rank") == 0);
  CHECK(run.at("step_seconds") == plan.at("step").at("seconds"));
  CHECK(run.at("choices").at("parallelism.pp") == 8);
  CHECK(run.at("choices").size() == best.at("choices").size());
  CHECK(best.at("step_seconds").get<double>() <= run.at("step_seconds").get<double>());
}

TEST_CASE("each change of the run has its worth, and they add up to what the best plan gains") {
  const Json search = found_from({"search", "--from", kKnownRun, "--top", "1"});
  const Json& explain = search.at("explain");
  CHECK(explain.at("rank") == 0);
  CHECK(explain.at("against") == 1);
  double seconds = 0;
  for (const Json& d : explain.at("differences")) seconds += d.at("seconds").get<double>();
  const double gain =
      search.at("plans").at(0).at("step_seconds").get<double>() - search.at("run").at("step_seconds").get<double>();
  CHECK(seconds == doctest::Approx(gain).epsilon(1e-9));
  CHECK(gain < 0);
}

TEST_CASE("a launch script is a run: its machine is set, and what the flags could be is searched") {
  const Json search = found_from({"search", "--from", kLaunchScript, "--set", "cluster.use=dgx-a100-80gb", "--set",
                                  "cluster.gpus=1536", "--set", "parallelism.tp=8", "--top", "3"});
  const Json &run = search.at("run"), &best = search.at("plans").at(0);
  CHECK(run.at("choices").at("software.overlap.gradients") == false);
  CHECK(best.at("choices").at("software.overlap.gradients") == true);
  CHECK(best.at("parallelism").at("tp") == 8);  // set, and so not left to the search
  CHECK(!run.at("choices").contains("parallelism.tp"));
  const Ran imported = ran({"import", "megatron", kLaunchScript, "--cluster", "dgx-a100-80gb", "--quiet"});
  TestFolder folder;
  const std::string file = folder.add("run.yaml", imported.out);
  const Json plan = Json::parse(ran({"plan", file, "--set", "cluster.gpus=1536", "--format", "json", "--quiet"}).out);
  CHECK(run.at("step_seconds") == plan.at("step").at("seconds"));
}

TEST_CASE("a job configuration of torchtitan is a run as well") {
  const std::string job = TRAINPLAN_SOURCE_DIR "/tests/planner/import/torchtitan/pipeline.toml";
  const Json search = found_from({"search", "--from", job, "--set", "cluster.use=dgx-h100", "--top", "1"});
  const Ran imported = ran({"import", "torchtitan", job, "--cluster", "dgx-h100", "--quiet"});
  TestFolder folder;
  const Json plan = Json::parse(ran({"plan", folder.add("run.yaml", imported.out), "--format", "json", "--quiet"}).out);
  CHECK(search.at("run").at("step_seconds") == plan.at("step").at("seconds"));
  CHECK(search.at("plans").at(0).at("step_seconds").get<double>() <= search.at("run").at("step_seconds"));
}

TEST_CASE("the page begins with the run") {
  const Ran page = ran({"search", "--from", kKnownRun, "--top", "2", "--quiet"});
  CHECK(page.out.find("\nrun  ") != std::string::npos);
  CHECK(page.out.find("Plan 1 less the run: -") != std::string::npos);
  CHECK(page.out.find("left to the search, whatever the run has: tp") != std::string::npos);
}

TEST_CASE("a run that is no run is told so") {
  struct Case {
    std::vector<std::string> words;
    int status;
    const char* message;
  };
  TestFolder folder;
  const std::string broken = folder.add("broken.yaml",
                                        "model: {use: llama3-8b}\njob: {sequence: 8192, global_batch: 64}\n"
                                        "cluster: {use: dgx-h100, gpus: 64}\nparallelism: {tp: 3}\n");
  const std::string choices = folder.add("choices.yaml",
                                         "model: {use: llama3-8b}\njob: {sequence: 8192, global_batch: 64}\n"
                                         "cluster: {use: dgx-h100, gpus: 64}\nparallelism: {tp: [4, 8]}\n");
  const std::vector<Case> cases{
      {{"search"}, 2, "SCENARIO is required"},
      {{"search", kKnownRun, "--from", kKnownRun}, 2, "--from RUN replaces SCENARIO: give one of them"},
      {{"search", "--from", kKnownRun, "--explain", "1"}, 2, "--from does not go with --explain"},
      {{"search", "--from", kKnownRun, "--shard", "1/2"}, 2, "--from does not go with"},
      {{"search", "--from", kLaunchScript}, 1, "as a scenario:17:8: error: no cluster named 'FILL_IN'"},
      {{"search", "--from", broken}, 1, "tp"},
      {{"search", "--from", choices}, 1, "is an open choice"},
      {{"search", kLaunchScript}, 1, "`trainplan search --from"},
      {{"search", "--from", folder.name() + "/none.sh"}, 1, "cannot read"},
  };
  for (const Case& c : cases) {
    const Ran search = ran(c.words);
    CHECK_MESSAGE(search.status == c.status, search.err);
    CHECK_MESSAGE(search.err.find(c.message) != std::string::npos, search.err);
  }
}

TEST_CASE("a batch and tokens that are formulas over the layout stay those of the run") {
  TestFolder folder;
  const std::string run = folder.add(
      "run.yaml",
      "model: {use: llama3-8b}\njob: {sequence: 4096, global_batch: 4 * parallelism.microbatch * parallelism.dp, "
      "tokens: 1000 * job.global_batch * job.sequence}\ncluster: {use: dgx-h100, gpus: 16}\n"
      "software: {use: torchtitan}\nparallelism: {tp: 4, zero: 3, microbatch: 2}\n");
  const Json search = found_from({"search", "--from", run, "--top", "3"});
  CHECK(search.at("run").at("global_batch") == 32);
  for (const Json& plan : search.at("plans")) CHECK(plan.at("global_batch") == 32);
  CHECK(search.at("plans").at(0).at("mfu") >= search.at("run").at("mfu"));
}
