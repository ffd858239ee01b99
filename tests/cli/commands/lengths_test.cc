// `job.sequence` as a map, from the command line: its output, its errors, and that the output can be read again.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"

using nlohmann::json;

namespace {

const std::string kFile = TRAINPLAN_SOURCE_DIR "/scenarios/deepspeech2-librispeech.yaml";

json plan(const std::string& file, const std::string& in = "") {
  const Ran r = ran({"plan", file, "--format", "json"}, in);
  REQUIRE(r.status == 0);
  return json::parse(r.out);
}

/// A file in the temporary directory, as long as it lives.
struct Temporary {
  std::string path;
  Temporary(const char* name, const std::string& text)
      : path((std::filesystem::temp_directory_path() / name).string()) {
    std::ofstream(path, std::ios::binary) << text;
  }
  ~Temporary() { std::filesystem::remove(path); }
};

}  // namespace

TEST_CASE("plan and search say what stands for a run of several lengths") {
  const json p = plan(kFile);
  const json& sequence = p["sequence"];
  CHECK(sequence["iterations"] == 35);
  CHECK(sequence["unique_lengths"] == 35);
  CHECK(std::abs(sequence["error"].get<double>()) <= 0.001);
  CHECK(sequence["padding"].get<double>() > 0);
  double weights = 0;
  for (const json& point : sequence["points"]) weights += point["weight"].get<double>();
  CHECK(weights == 35);
  const std::string text = ran({"plan", kFile}).out;
  CHECK(holds(text, "SeqPoints for 35 lengths in 35 steps (off by 0.0"));
  CHECK(holds(text, "batch 64 x 93 to 495 tokens"));
  const Ran search =
      ran({"search", kFile, "--set", "parallelism.microbatch=[8, 16]", "--verify=2", "--format", "json"});
  CHECK(search.status == 0);
  CHECK(holds(search.err, "verified 2 of 2 costed candidates: 0 differ"));
  const json found = json::parse(search.out);
  CHECK(found["sequence"]["iterations"] == 35);
  CHECK(found["space"]["candidates"] == 2);
  CHECK(holds(ran({"search", kFile, "--set", "parallelism.microbatch=[8, 16]"}).out, "lengths: "));
  CHECK(!plan(TRAINPLAN_SOURCE_DIR "/scenarios/gnmt-vega-fe.yaml").contains("sequence"));
}

TEST_CASE("the resolved scenario of several lengths reads again to the same plan") {
  const std::vector<std::vector<std::string>> rows{
      {},
      {"--set", "let={twice: 2 * job.sequence}"},
      {"--set", "job.document=job.sequence / 1"},
      {"--set", "job.sequence=1", "--set", "job.sequence={points: [64, 512], weights: [3, 1]}"}};
  for (const std::vector<std::string>& sets : rows) {
    std::vector<std::string> args{"plan", kFile, "--format", "json"};
    args.insert(args.end(), sets.begin(), sets.end());
    const Ran first = ran(args);
    INFO(first.err);
    REQUIRE(first.status == 0);
    const json one = json::parse(first.out);
    const json two = plan("-", one["scenario"].dump());
    CHECK(one["scenario"] == two["scenario"]);
    for (const char* part : {"step", "breakdown", "throughput", "memory", "cost", "communication"})
      CHECK(one[part] == two[part]);
  }
}

TEST_CASE("the points that a search found are those of its best plan, picked or explained") {
  const Ran picked =
      ran({"plan", kFile, "--set", "parallelism.microbatch=[16, 8]", "--pick", "best", "--format", "json"});
  REQUIRE(picked.status == 0);
  const Ran search = ran({"search", kFile, "--set", "parallelism.microbatch=[16, 8]", "--format", "json"});
  CHECK(json::parse(picked.out)["step"]["seconds"] == json::parse(search.out)["plans"][0]["step_seconds"]);
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--explain=1"},
                                               {"--sensitivity"},
                                               {"--solve", "job.tokens", "--until", "days < 0.001 d"}}) {
    std::vector<std::string> args{"search", kFile, "--set", "parallelism.microbatch=[16, 8]"};
    args.insert(args.end(), more.begin(), more.end());
    CHECK(ran(args).status == 0);
  }
}

TEST_CASE("lengths stay with what is made of a search: merged shards, a solved field, the picked plan") {
  const std::vector<std::string> space{"--set", "parallelism.microbatch=[16, 8, 4]"};
  const auto search = [&](std::vector<std::string> more) {
    std::vector<std::string> args{"search", kFile, "--format", "json"};
    args.insert(args.end(), space.begin(), space.end());
    args.insert(args.end(), more.begin(), more.end());
    const Ran r = ran(args);
    REQUIRE(r.status == 0);
    return r.out;
  };
  const json sequence = json::parse(search({}))["sequence"];
  CHECK(sequence["left_over_sequences"] == 63);
  const Temporary one("lengths-1.json", search({"--shard", "1/2"})), two("lengths-2.json", search({"--shard", "2/2"}));
  const Ran merged = ran({"merge", one.path, two.path, "--format", "json"});
  CHECK(merged.out == search({}));
  CHECK(holds(ran({"merge", one.path, two.path}).out, "lengths: "));
  CHECK(json::parse(search({"--solve", "job.tokens", "--until", "days < 0.001 d"}))["sequence"] == sequence);
  const Ran picked =
      ran({"plan", kFile, "--format", "json", "--pick", "best", "--set", "parallelism.microbatch=[16, 8, 4]"});
  CHECK(json::parse(picked.out)["sequence"] == sequence);
  for (const char* field : {"job.sequence", "job.global_batch"}) {
    const Ran r = ran({"search", kFile, "--solve", field, "--until", "step < 1 s"});
    CHECK(r.status == 1);
    CHECK(holds(r.err, std::string("the lengths of this run stand for one value of ") + field));
  }
}

TEST_CASE("a warning is told once") {
  const Ran r = ran({"search", kFile, "--set", "job.sequence.threshold=0", "--set", "parallelism.microbatch=[8, 16]"});
  const size_t first = r.err.find("no number of bins");
  REQUIRE(first != std::string::npos);
  CHECK(r.err.find("no number of bins", first + 1) == std::string::npos);
}

TEST_CASE("commands that ask about one step take one length") {
  const std::vector<std::vector<std::string>> rows{{"ops", kFile},
                                                   {"comm", kFile},
                                                   {"compare", kFile, kFile},
                                                   {"export", kFile, "--to", "megatron"},
                                                   {"plan", kFile, "--timeline", "/nonexistent/t.json"},
                                                   {"roadmap", kFile, "--set", "roadmap=flop-vs-bw"}};
  for (const std::vector<std::string>& args : rows) {
    const Ran r = ran(args);
    INFO(args.front(), r.err);
    CHECK(r.status == 1);
    CHECK(holds(r.err, "takes one sequence length, and this run's are 93 to 495"));
    CHECK(holds(r.err, "--set job.sequence=495"));
  }
  CHECK(ran({"ops", kFile, "--set", "job.sequence=495"}).status == 0);
  CHECK(ran({"check", kFile}).status == 0);
}

TEST_CASE("mistakes in a map of lengths point at their places") {
  const Temporary numbers("lengths-numbers.txt", "5\nx\n-3\n"), empty("lengths-empty.txt", ""),
      log("lengths-log.csv", "iteration,length,seconds\n1,512,0.5\n2,1024,1.25\n");
  const struct {
    std::string value, error;
  } rows[] = {
      {"{}", "--set:1:14: error: no lengths: job.sequence is a map without 'lengths' and 'points'"},
      {"{lengths: a.txt, points: [1]}", "--set:1:39: error: the lengths are those of a file or these points, not both"},
      {"{lengths: /nonexistent/a.txt}", "--set:1:24: error: no file '/nonexistent/a.txt'"},
      {"{lengths: a.txt, order: sorted}", "--set:1:31: error: unknown field 'job.sequence.order'"},
      {"{lengths: a.txt, batching: sorte}", "hint: did you mean 'sorted'?"},
      {"{lengths: a.txt, divide: 0}", "job.sequence.divide"},
      {"{points: [4, 2], weights: [1, 2]}", "--set:1:23: error: the points do not ascend"},
      {"{points: [4, 8], weights: [0, 0]}", "--set:1:40: error: all weights are zero"},
      {"{points: [4, 8], weights: [1]}", "--set:1:23: error: 2 points and 1 weights"},
      {"{weights: [1]}", "error: 0 points and 1 weights"},
      {"{points: [4, 8], weights: [1e308, 1e308]}", "job.sequence.weights"},
      {"{lengths: a.txt, seed: [1, 2]}", "--set:1:37: error: job.sequence.seed takes one value"},
      {"{lengths: [1, 2]}", "hint: lengths in the scenario itself are points"},
      {"{lengths: /}", "--set:1:24: error: '/' is a directory"},
      {"{points: [4], weights: [1], divide: 2}", "--set:1:50: error: 'divide' goes with lengths"},
      {"{lengths: " + numbers.path + "}", "lengths-numbers.txt:2:1: error: expected a length"},
      {"{lengths: " + empty.path + "}", "lengths-empty.txt:1:1: error: no lengths: the file is empty"},
      {"{lengths: " + log.path + ", batching: sorted}", "'batching' goes with a data set"},
  };
  for (const auto& row : rows) {
    const Ran r = ran({"plan", kFile, "--set", "job.sequence=1", "--set", "job.sequence=" + row.value});
    INFO(row.value, "\n", r.err);
    CHECK(r.status == 1);
    CHECK(holds(r.err, row.error));
  }
  // Null takes back what the file says.
  CHECK(ran({"plan", kFile, "--set",
             "job.sequence={lengths: null, batching: null, divide: null, points: [64, 512], weights: [3, 1]}"})
            .status == 0);
  // The iterations of a run are their own batches, and their measured times find the points.
  const Ran good = ran({"plan", kFile, "--format", "json", "--set", "job.sequence=1", "--set",
                        "job.sequence={lengths: " + log.path + "}"});
  REQUIRE(good.status == 0);
  CHECK(json::parse(good.out)["sequence"]["points"].size() == 2);
}
