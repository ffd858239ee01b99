// The user's own measured runs: `measured` in a scenario, and --measured.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kText =
    "model: {use: llama3-8b}\n"
    "job: {sequence: 8192, global_batch: 64, precision: bf16, tokens: 1e9}\n"
    "cluster: {use: dgx-h100, gpus: 8}\n"
    "parallelism: {tp: 2, microbatch: 1}\n";

Ran run(const char* command, const std::string& text, std::vector<std::string> flags = {}) {
  std::vector<std::string> args{command, "-"};
  args.insert(args.end(), flags.begin(), flags.end());
  return ran(args, text);
}

Json plan(const std::string& text, std::vector<std::string> flags = {}) {
  flags.insert(flags.end(), {"--format", "json", "--quiet"});
  return Json::parse(run("plan", text, flags).out);
}

double seconds(const Json& plan) { return plan["step"]["seconds"].get<double>(); }
double width(const Json& plan) {
  return plan["step"]["high_seconds"].get<double>() / plan["step"]["low_seconds"].get<double>();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a measured step moves the plan towards it and narrows the interval") {
  const std::string text = kText + "software: {use: megatron-bridge}\n";  // nobody measured it on this machine
  const Json before = plan(text);
  const double slower = 1.3 * seconds(before);
  const Json after = plan(text, {"--measured", std::to_string(slower) + " s"});
  CHECK(seconds(after) > 1.1 * seconds(before));
  CHECK(seconds(after) < slower);
  CHECK(width(after) < width(before));
  CHECK(after["accuracy"]["own_runs"] == 1);
  CHECK(plan(text + "measured: {step: " + std::to_string(slower) + " s}\n") == after);
  CHECK(has(run("plan", text, {"--measured", std::to_string(slower) + " s"}).out, "1 measured run of your own took"));
}

TEST_CASE("several runs count together, each with the fields in which it differs") {
  const double here = seconds(plan(kText));
  const double there = seconds(plan(kText, {"--set", "parallelism.tp=4"}));
  const std::string two = kText + "measured:\n  runs:\n    - {step: " + std::to_string(1.3 * here) +
                          " s}\n    - {step: " + std::to_string(1.3 * there) + " s, set: {parallelism.tp: 4}}\n";
  const Json of_two = plan(two), of_one = plan(kText, {"--measured", std::to_string(1.3 * here) + " s"});
  CHECK(of_two["accuracy"]["own_runs"] == 2);
  CHECK(seconds(of_two) > seconds(of_one));
  CHECK(width(of_two) < width(of_one));
}

TEST_CASE("a search keeps what the written layout was measured with, and its rows read again are the same") {
  const std::string measured = kText + "measured: {step: 20 s}\n";
  const Json best = Json::parse(run("search", measured, {"--top", "1", "--format", "json", "--quiet"}).out);
  const Json unmoved = Json::parse(run("search", kText, {"--top", "1", "--format", "json", "--quiet"}).out);
  const double moved = best["plans"][0]["step_seconds"].get<double>();
  CHECK(moved > unmoved["plans"][0]["step_seconds"].get<double>());
  CHECK(run("search", measured, {"--verify", "3", "--quiet"}).status == 0);
}

TEST_CASE("compare moves both sides by what A was measured with") {
  const std::string a = (std::filesystem::temp_directory_path() / "trainplan_measured_a.yaml").string();
  std::ofstream(a) << kText;
  const Json both = Json::parse(ran({"compare", a, a, "--measured", "9 s", "--format", "json", "--quiet"}, "").out);
  std::filesystem::remove(a);
  CHECK(both["a"]["step"] == both["b"]["step"]);
}

TEST_CASE("what cannot have been measured is said with its place") {
  struct Row {
    std::string measured, told;
  };
  const Row rows[] = {
      {"{step: -1 s}", "must be at least 0 s"},
      {"{step: 0 s}", "takes more than no time"},
      {"{steps: 8 s}", "unknown"},
      {"{}", "no run was measured here"},
      {"{runs: [{set: {parallelism.tp: 4}}]}", "a measured run needs its step time"},
      {"{runs: [{step: 8 s, set: {parallelism.tpp: 4}}]}", "parallelism.tpp"},
      {"{runs: [{step: 8 s, set: {parallelism.tp: 3}}]}", "the measured run cannot be planned"},
  };
  for (const Row& row : rows) {
    const Ran r = run("plan", kText + "measured: " + row.measured + "\n");
    CAPTURE(row.measured);
    CHECK(r.status == 1);
    CHECK_MESSAGE(has(r.err, row.told), r.err);
  }
  const Ran far = run("plan", kText, {"--measured", "8000 s"});
  CHECK(far.status != 1);
  CHECK_MESSAGE(has(far.err, "times the planned one"), far.err);
}
