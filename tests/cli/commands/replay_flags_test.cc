// Flags of `trainplan replay` that name ranks and files.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/commands/replay_values.h"
#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/kineto_text.h"

using Json = nlohmann::ordered_json;
using sample::KinetoText;
using Words = std::vector<std::string>;

namespace {

/// A rank whose clock is `behind` microseconds late: two collectives that all ranks end at once.
KinetoText rank_behind(int rank, int64_t behind, int size = 3) {
  return KinetoText(R"("distributedInfo": {"rank": )" + std::to_string(rank) + R"(, "world_size": )" +
                    std::to_string(size) + "}, ")
      .kernel("ncclAll", 9, 1000 - behind, 50)
      .kernel("ncclAll", 9, 2000 - behind, 50);
}

struct Run : TestFolder {
  Run() {
    for (int r = 0; r < 3; ++r)
      paths.push_back(add("rank" + std::to_string(r) + ".json", rank_behind(r, 500 * r).text()));
  }
  Ran replay(const Words& more = {}) const {
    Words args{"replay"};
    args.insert(args.end(), paths.begin(), paths.end());
    args.insert(args.end(), more.begin(), more.end());
    return ran(args, "");
  }
  Words paths;
};

std::vector<size_t> hosts(const std::string& text, std::string* message = nullptr) {
  dsl::Diagnostics diagnostics;
  const auto found =
      cli::hosts_of(text, sample::trace({rank_behind(0, 0), rank_behind(1, 0), rank_behind(2, 0)}), diagnostics);
  if (message) *message = diagnostics.list.empty() ? "" : diagnostics.list[0].message;
  return found.value_or(std::vector<size_t>{});
}

}  // namespace

TEST_CASE("--hosts names the ranks of each host; the others are alone") {
  CHECK(hosts("") == std::vector<size_t>{0, 1, 2});
  CHECK(hosts("0-2") == std::vector<size_t>{0, 0, 0});
  CHECK(hosts("0-1") == std::vector<size_t>{0, 0, 1});
  CHECK(hosts("1,0-0") == std::vector<size_t>{1, 0, 2});
  CHECK(hosts("0-1,2-7") == std::vector<size_t>{0, 0, 1});
  for (const char* wrong : {"a", "0-", "-1", "2-1", "0,", "0 1", "0-99999999", "0--1", ","}) {
    CAPTURE(wrong);
    std::string message;
    CHECK(hosts(wrong, &message).empty());
    CHECK(message == "--hosts '" + std::string(wrong) + "': expected ranks of each host, joined by commas");
  }
  std::string message;
  CHECK(hosts("0-1,1-2", &message).empty());
  CHECK(message == "--hosts '0-1,1-2': rank 1 stands twice");
}

TEST_CASE("clocks that are not in step are put there, and the page says so") {
  const Run run;
  const Ran page = run.replay();
  CHECK(page.status == 0);
  CHECK(page.out.find("The clocks were put in step: ends of collectives were up to 500.0 us") != std::string::npos);
  const Json document = Json::parse(run.replay({"--format", "json"}).out);
  CHECK(document["clocks"][1]["offset_seconds"] == doctest::Approx(500e-6));
  CHECK(document["clocks"][2]["offset_seconds"] == doctest::Approx(1000e-6));
  for (const Json& collective : document["collectives"])
    CHECK(collective["transfer_seconds"] == doctest::Approx(50e-6));
  CHECK(run.replay({"--hosts", "0-1,1"}).status == 1);
}

TEST_CASE("--timeline writes what a viewer opens, or says why it cannot") {
  const Run run;
  const std::string file = (run.path / "timeline.json").string();
  const Ran page = run.replay({"--timeline", file, "--scale-op", "ncclAll=2"});
  CHECK(page.status == 0);
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  CHECK(Json::parse(text.str())["traceEvents"].size() > 12);
  const Ran wrong = run.replay({"--timeline", (run.path / "none" / "timeline.json").string()});
  CHECK(wrong.status == 1);
  CHECK(wrong.err.find("cannot write") != std::string::npos);
  CHECK(wrong.out.empty());
}

TEST_CASE("--rank: the timeline of these ranks alone") {
  const Run run;
  const std::string file = (run.path / "timeline.json").string();
  CHECK(run.replay({"--timeline", file, "--rank", "2,0"}).status == 0);
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  const Json written = Json::parse(text.str());
  Words names;
  for (const Json& event : written["traceEvents"])
    if (event["name"] == "process_name") names.push_back(event["args"]["name"]);
  CHECK(names == Words{"rank 0", "rank 2", "critical path"});
  const Ran wrong = run.replay({"--timeline", file, "--rank", "0-3"});
  CHECK(wrong.status == 1);
  CHECK_MESSAGE(wrong.err.starts_with("error: --rank '0-3': there is no rank 3: the traces are of 3, 0 to 2\n"),
                wrong.err);
  const Ran alone = run.replay({"--rank", "0"});
  CHECK(alone.status == 2);
  CHECK(alone.err == "trainplan replay: --rank says whose events --timeline FILE gets: there is no --timeline\n");
}

TEST_CASE("--from-others stands on the page beside the fullest stream") {
  const Run run;
  CHECK(run.replay({"--from-others"}).out.find("From the others\n") != std::string::npos);
  CHECK(run.replay().out.find("From the others\n") == std::string::npos);
  const Json document = Json::parse(run.replay({"--from-others", "--format", "json"}).out);
  REQUIRE(document["unseen"].size() == 3);
  CHECK(document["unseen"][0]["largest_stream_seconds"] == doctest::Approx(100e-6));
}
