// `trainplan roadmap`: rows, formats, exit status.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"

using Json = nlohmann::ordered_json;

namespace {

Ran roadmap(const std::string& value, std::vector<std::string> more = {}, int width = 80) {
  std::vector<std::string> args{"roadmap", "-", "--set", "roadmap=" + value};
  args.insert(args.end(), more.begin(), more.end());
  return ran(args, kSmallJob, width);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("roadmap prints a row for each cell, on narrow and on wide pages") {
  const Ran narrow = roadmap("[flop-vs-bw]"), wide = roadmap("{hardware: [flop-vs-bw], models: [gpt2]}", {}, 160);
  CHECK_MESSAGE(narrow.status == 0, narrow.err);
  CHECK(has(narrow.out, "megatron-1.7b: flop-vs-bw-1x "));
  CHECK(has(narrow.out, "3 cells"));
  for (const char* part : {"flop-vs-bw-1x", "flop-vs-bw-4x", "tp2 dp4", "serialized"}) CHECK(has(narrow.out, part));
  CHECK(!has(narrow.out, "model "));  // one model needs no column
  for (const char* part : {"overlapped/compute", "memory", "USD/1e12 tokens", "MFU"}) CHECK(has(wide.out, part));
  CHECK(has(roadmap("{models: [gpt2, megatron-1.7b]}").out, "gpt2"));
  for (const Ran& r : {narrow, wide})
    for (size_t at = 0, end = 0; (end = r.out.find('\n', at)) != std::string::npos; at = end + 1)
      CHECK(end - at <= 160);
}

TEST_CASE("roadmap in JSON, and its rows in the other formats") {
  const Json json = Json::parse(roadmap("[{name: a, set: {cluster.gpu.memory: 90 GB}}]", {"--format", "json"}).out);
  CHECK(json["format"] == "trainplan.roadmap/1");
  REQUIRE(json["cells"].size() == 1);
  const Json& cell = json["cells"][0];
  CHECK(cell["set"]["cluster.gpu.memory"] == "90 GB");
  CHECK(cell["model"] == "megatron-1.7b");
  CHECK(cell["parallelism"]["dp"] == 4);
  CHECK(cell["feasible"] == true);
  CHECK(cell["reason"].is_null());
  const Ran csv =
      roadmap("flop-vs-bw", {"--format", "csv", "--columns", "step,mfu", "--sort", "mfu:asc", "--top", "2"});
  CHECK(csv.out.starts_with("step,mfu"));
  CHECK(csv.out.find("\nflop-vs-bw-4x,") < csv.out.find("\nflop-vs-bw-2x,"));
  CHECK(std::count(csv.out.begin(), csv.out.end(), '\n') == 3);
  const Ran lines = roadmap("flop-vs-bw", {"--format", "ndjson"});
  CHECK(Json::parse(lines.out.substr(0, lines.out.find('\n')))["format"] == "trainplan.roadmap/1");
}

TEST_CASE("roadmap: exit status and mistakes") {
  CHECK(roadmap("{name: a, set: {cluster.gpu.memory: 4 GB}}").status == 3);
  CHECK(roadmap("[{name: a, set: {cluster.gpu.memory: 4 GB}}, {name: b}]").status == 0);
  const Ran none = ran({"roadmap", "-"}, kSmallJob);
  CHECK(none.status == 1);
  CHECK(
      has(none.err, "the scenario has no roadmap\nhint: add one, such as --set roadmap=flop-vs-bw; presets are amd, "));
  const Ran wrong = roadmap("[flop-vs-bw, inn_network]");
  CHECK(wrong.status == 1);
  CHECK(has(wrong.err, "--set:1:22: error: no roadmap named 'inn_network'"));
  CHECK(has(wrong.err, "did you mean 'in_network'?"));
  CHECK(has(roadmap("in_network", {"--timing"}).err, "configurations per second"));
  const Ran checked = ran({"check", "-"}, std::string(kSmallJob) + "roadmap: [nvida]\n");
  CHECK(checked.status == 1);
  CHECK(has(checked.err, "5:11: error: no roadmap named 'nvida'"));
}

TEST_CASE("a tier may be named where --set takes a path") {
  const auto step = [](const std::string& set) {
    const Ran r = ran({"plan", "-", "--format", "json", "--set", set}, kSmallJob);
    CHECK_MESSAGE(r.status == 0, r.err);
    return Json::parse(r.out)["step"]["seconds"].get<double>();
  };
  CHECK(step("cluster.network.nvlink.bandwidth=10 GB/s") == step("cluster.network[0].bandwidth=10 GB/s"));
  CHECK(ran({"plan", "-", "--set", "cluster.network.nvlnk.bandwidth=10 GB/s"}, kSmallJob).status == 1);
}
