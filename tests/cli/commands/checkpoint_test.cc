// `search --output FILE --checkpoint TIME --resume auto`: the checkpoint file next to the output, and when it is
// removed.
#include "cli/commands/checkpoint.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/interrupting.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Args = std::vector<std::string>;
using namespace std::chrono_literals;

namespace {

const std::string kTwoMemories = R"(
model: {use: megatron-1.7b}
job: {sequence: 2048, global_batch: 64, tokens: 1e9}
cluster: {use: dgx-a100-80gb, gpus: [8, 16], gpu: {memory: [40 GB, 80 GB]}}
parallelism: {tp: [1, 2, 4], pp: [1, 2], microbatch: [1, 2], zero: [0, 1]}
)";

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Interrupted as early as may be, so that the checkpoint of the search is there.
void interrupt(const Args& args) {
  Ran r;
  for (int tries = 0; tries < 100 && r.status != 130; ++tries) {
    const Interrupting interrupting(0us, SIGTERM);
    r = ran(args, kTwoMemories);
  }
  REQUIRE(r.status == 130);
}

}  // namespace

TEST_CASE("a search that was ended goes on from its checkpoint to the same bytes, in every format") {
  const Args rows[] = {{"--format", "json", "--pareto", "usd,step"},
                       {"--format", "table", "--pareto", "usd,step", "--explain", "1"},
                       {"--format", "md", "--set", "where=[step < 1 ns]"},  // nothing is feasible: the nearest miss
                       {"--format", "json", "--set", "where=[step < 1 ns]"},
                       {"--format", "csv", "--set", "goal={maximize: scaling_efficiency}"},
                       {"--format", "svg"},
                       {"--format", "json", "--shard", "2/3"}};
  for (const Args& more : rows) {
    INFO(more.at(1), more.back());
    const TestFolder folder;
    const std::string file = folder.name() + "/out", checkpoint = file + ".checkpoint";
    const Args args = with({"search", "-", "--output", file, "--top", "4"}, more);
    interrupt(args);
    const Json j = Json::parse(text_of(checkpoint));
    CHECK(j["interrupted"] == true);
    CHECK(!j["partial"]["unfinished"].is_null());
    const Ran rest = ran(with(args, {"--resume", "auto"}), kTwoMemories);
    CHECK(rest.err == "");
    CHECK_FALSE(fs::exists(checkpoint));
    const Ran whole = ran(with({"search", "-", "--top", "4"}, more), kTwoMemories);
    CHECK(rest.status == whole.status);
    CHECK(text_of(file) == whole.out);
  }
}

TEST_CASE("--resume auto begins anew where nothing was kept; a checkpoint that is passed over is told") {
  const TestFolder folder;
  const std::string file = folder.name() + "/out.json";
  const Args args{"search", "-", "--output", file, "--format", "json"};
  CHECK(ran(with(args, {"--resume", "auto"}), kTwoMemories).status == 0);
  interrupt(args);
  const Ran anew = ran(args, kTwoMemories);
  CHECK(anew.status == 0);
  CHECK(anew.err ==
        "warning: '" + file + ".checkpoint' holds a search that did not end; --resume auto goes on with it\n");
  CHECK_FALSE(fs::exists(file + ".checkpoint"));
}

TEST_CASE("a search keeps itself only where that was asked for") {
  const TestFolder folder;
  const std::string file = folder.name() + "/out.json";
  interrupt({"search", "-", "--output", file, "--checkpoint", "off"});
  CHECK_FALSE(fs::exists(file + ".checkpoint"));
  CHECK(ran({"search", "-", "--output", "/dev/null"}, kTwoMemories).status == 0);
}

TEST_CASE("a result that cannot be written leaves the checkpoint") {
  const TestFolder folder;
  const std::string file = folder.name() + "/out.json";
  const Args args{"search", "-", "--output", file, "--format", "json"};
  interrupt(args);
  fs::remove(file);
  const std::string kept = text_of(file + ".checkpoint");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 100, .rlim_max = before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const Ran full = ran(with(args, {"--resume", "auto"}), kTwoMemories);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(full.status == 1);
  CHECK(holds(full.err, "trainplan: cannot write '" + file + "': File too large"));
  CHECK_FALSE(fs::exists(file));
  CHECK(text_of(file + ".checkpoint") == kept);
}

TEST_CASE("what --checkpoint and --resume cannot mean is wrong usage") {
  const struct {
    Args more;
    const char* says;
  } rows[] = {
      {{"--checkpoint", "60s"}, "--checkpoint needs --output FILE"},
      {{"--resume", "auto"}, "--resume auto: the checkpoint is beside --output FILE"},
      {{"--output", "/dev/null", "--checkpoint", "1s"}, "--checkpoint needs --output FILE, a file"},
      {{"--output", "x", "--checkpoint", "60"}, "expected a time from 10 ms, such as 60s or 5min, or off, got '60'"},
      {{"--output", "x", "--checkpoint", "3 GB"}, "expected a time"},
      {{"--output", "x", "--checkpoint", "0s"}, "expected a time"},
      {{"--output", "x", "--checkpoint", "1s", "--solve", "job.global_batch", "--until", "mfu > 1"},
       "does not go with"},
  };
  for (const auto& row : rows) {
    const Ran r = ran(with({"search", "-"}, row.more), kTwoMemories);
    INFO(r.err);
    CHECK(r.status == 2);
    CHECK(holds(r.err, row.says));
  }
}

TEST_CASE("times of --checkpoint") {
  const struct {
    const char* text;
    cli::Period period;
  } rows[] = {{"", 60s}, {"60s", 60s}, {"5 min", 5min}, {"100ms", 100ms}, {"off", std::nullopt}};
  for (const auto& row : rows) {
    cli::SearchFlags flags;
    flags.common.output = "out.json";
    flags.checkpoint = row.text;
    cli::Period period;
    CHECK(cli::read_period(flags, period) == "");
    CHECK((period == row.period));
  }
}
