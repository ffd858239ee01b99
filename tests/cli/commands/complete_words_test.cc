// What shells offer: every name is one that the command then takes.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "planner/scenario/scenario.h"
#include "tests/cli/harness.h"

namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

/// What is offered for the value of a flag, behind what is typed.
std::vector<std::string> offered(const char* command, const char* flag, const std::string& typed = "") {
  const Ran r = ran({"__complete", command, flag, typed});
  CHECK(r.status == 0);
  CHECK(r.err == "");
  return lines(r.out);
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

std::vector<std::string> names(const char* kind) {
  std::vector<std::string> all = lines(ran({"list", kind, "--format", "csv", "--columns", "name"}).out);
  if (!all.empty()) all.erase(all.begin());  // the heading
  return all;
}

}  // namespace

TEST_CASE("--on offers the names of its kind: clusters, machines, road maps") {
  CHECK(offered("clusters", "--on") == names("cluster"));
  CHECK(offered("seqpoint", "--on") == names("roadmap"));
  std::vector<std::string> machines = names("accelerator");
  for (const std::string& cluster : names("cluster")) machines.push_back(cluster);
  CHECK(offered("replay", "--on") == machines);
  CHECK(offered("shard", "--on") == machines);
}

TEST_CASE("behind a comma the next name of a list follows what is typed") {
  const std::vector<std::string> next = offered("clusters", "--on", "dgx-h100,dgx-b");
  CHECK(next.size() == names("cluster").size());
  for (const std::string& line : next) CHECK(line.starts_with("dgx-h100,"));
  CHECK(has(next, "dgx-h100,dgx-b200"));
}

TEST_CASE("--set offers each field of the schema, of lists that of the first item") {
  for (const char* command : {"plan", "search", "sweep", "clusters", "ops", "serve"}) {
    CAPTURE(command);
    const std::vector<std::string> paths = offered(command, "--set");
    CHECK(paths.size() == planner::scenario_schema().size());
    CHECK(has(paths, "job.global_batch="));
    CHECK(has(paths, "cluster.network[0].bandwidth="));
    for (const std::string& path : paths) CHECK(path.find("[]") == std::string::npos);
  }
}

TEST_CASE("behind a path --set offers the words that the field takes, and each is taken") {
  int fields = 0;
  for (const dsl::Field& field : planner::scenario_schema()) {
    if (field.words.empty() || field.path.find("[]") != std::string::npos) continue;
    CAPTURE(field.path);
    const std::vector<std::string> values = offered("plan", "--set", field.path + "=");
    REQUIRE(values.size() == field.words.size());
    for (size_t i = 0; i < values.size(); ++i) CHECK(values[i] == field.path + "=" + std::string(field.words[i]));
    ++fields;
  }
  CHECK(fields > 10);
  for (const std::string& set : offered("plan", "--set", "parallelism.recompute=")) {
    CAPTURE(set);
    CHECK(ran({"plan", "example:gpt3-175b", "--quiet", "--set", set}).status != 1);
  }
  CHECK(offered("plan", "--set", "job.global_batch=").empty());
  CHECK(offered("plan", "--set", "nothing.such=").empty());
}

TEST_CASE("other flags, commands that there are not, and words of no flag offer nothing") {
  CHECK(offered("plan", "--prices").empty());
  CHECK(offered("plan", "--top").empty());
  CHECK(offered("plan", "--on").empty());
  CHECK(offered("nothing", "--set").empty());
}

TEST_CASE("inputs of a command are its own names") {
  const auto inputs = [](const char* command) { return lines(ran({"__complete", command, ""}).out); };
  for (const std::string& name : names("cluster")) CHECK(has(inputs("show"), name));
  CHECK(has(inputs("completion"), "zsh"));
  CHECK(has(inputs("explain"), "parallelism.tp"));
  CHECK(has(inputs("import"), "hf"));
  CHECK(!has(inputs("plan"), "llama3-8b"));
}
