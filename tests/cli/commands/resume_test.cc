// `search --resume`: a search that Ctrl-C stopped goes on to the same bytes.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/interrupting.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

using Json = nlohmann::ordered_json;
using Args = std::vector<std::string>;

namespace {

const Args kArgs{"search", "-", "--format", "json", "--pareto", "usd,step", "--top", "4"};

/// Interrupted after `delay`, or ended before.
Ran interrupted(const Args& args, std::chrono::microseconds delay) {
  const Interrupting interrupting(delay);
  return ran(args, kOpen);
}

/// Interrupted as early as may be; on a busy machine the first signal may come too late.
Ran interrupted(const Args& args) {
  Ran r;
  for (int tries = 0; tries < 100 && r.status != 130; ++tries) r = interrupted(args, std::chrono::microseconds(0));
  REQUIRE(r.status == 130);
  return r;
}

}  // namespace

TEST_CASE("a search in pieces ends with the bytes of an uninterrupted one") {
  for (const Args& more :
       {Args{"--threads", "2", "--shard", "2/3"}, Args{"--set", "goal={maximize: scaling_efficiency}"}}) {
    INFO(more.back());
    TestFolder folder;
    Ran r = interrupted(with(kArgs, more));
    for (int stops = 0; r.status == 130; ++stops) {
      const Json j = Json::parse(r.out);
      CHECK(j["format"] == "trainplan.search/1");
      CHECK(!j["partial"]["unfinished"].is_null());
      const std::string file = folder.add("so-far.json", r.out);
      // Later each time, so that it ends.
      r = interrupted(with(with(kArgs, more), {"--resume", file}),
                      std::chrono::microseconds(1000 << std::min(2 * stops, 14)));
    }
    CHECK(r.status == 0);
    CHECK(r.out == ran(with(kArgs, more), kOpen).out);
  }
}

TEST_CASE("--resume: files of other searches are told at their places") {
  TestFolder folder;
  const std::string text = interrupted(kArgs).out, file = folder.add("a.json", text);
  REQUIRE(holds(text, "\"unfinished\": {"));
  const std::string bad = folder.add("bad.json", [&] {
    const size_t at = text.find("\"next_part\": ");
    return text.substr(0, at) + "\"next_part\": 0, \"was\": " + text.substr(at + 13);
  }());
  const std::string beyond = folder.add("beyond.json", [&] {
    const size_t at = text.find("\"next_part\": ");
    return text.substr(0, at) + "\"next_part\": 9223372036854775807, \"was\": " + text.substr(at + 13);
  }());
  const std::string shard = folder.add("shard.json", ran(with(kArgs, {"--shard", "1/2"}), kOpen).out);
  const std::string whole = folder.add("whole.json", ran(kArgs, kOpen).out);
  const struct {
    Args more;
    const char* says;
  } rows[] = {
      {{"--resume", file, "--set", "job.sequence=1024"}, "this result and this search are not of the same search"},
      {{"--resume", file, "--top", "5"}, "made with --top 4, and this search with --top 5"},
      {{"--resume", file, "--pareto", "usd"}, "and this search with --pareto usd"},
      {{"--resume", file, "--shard", "1/2"}, "made with no --shard, and this search with --shard 1/2"},
      {{"--resume", shard, "--shard", "1/2"}, "this shard is finished: nothing is left to resume"},
      {{"--resume", whole}, "this search is complete"},
      {{"--resume", bad}, "these are not parts that a shard walks"},
      {{"--resume", beyond}, "these are not parts that a shard walks"},
      {{"--resume", folder.add("empty.json", "")}, "write to another file"},
      {{"--resume", folder.name() + "/none.json"}, "no such file"},
  };
  for (const auto& row : rows) {
    Args args = kArgs;
    if (std::find(row.more.begin(), row.more.end(), "--pareto") != row.more.end())
      args.erase(args.begin() + 4, args.begin() + 6);
    const Ran r = ran(with(args, row.more), kOpen);
    CHECK(r.status == 1);
    CHECK_MESSAGE(holds(r.err, row.says), r.err);
  }
}
