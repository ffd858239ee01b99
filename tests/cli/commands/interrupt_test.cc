// Signals to a command: what it found so far is printed, and named as such in every format.
#include "cli/commands/interrupt.h"

#include <doctest/doctest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/interrupting.h"
#include "tests/cli/sample_files.h"

using Json = nlohmann::ordered_json;
using Args = std::vector<std::string>;

namespace {

/// Interrupted as early as may be; on a busy machine the first signal may come too late.
Ran interrupted(const Args& args, int signal = SIGTERM, const std::string& in = kOpen) {
  Ran r;
  for (int tries = 0; tries < 100 && r.status != 130; ++tries) {
    const Interrupting interrupting(std::chrono::microseconds(0), signal);
    r = ran(args, in);
  }
  INFO(args.front(), r.err);
  REQUIRE(r.status == 130);
  return r;
}

}  // namespace

TEST_CASE("SIGTERM and SIGHUP end a search as Ctrl-C does") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Ran r = interrupted({"search", "-", "--format", "json"}, signal);
    const Json j = Json::parse(r.out);
    CHECK(j["interrupted"] == true);
    CHECK(!j["partial"]["unfinished"].is_null());
    CHECK(r.err == "trainplan search: interrupted: this is what was found so far\n");
  }
}

TEST_CASE("what is not whole says so in every format") {
  const char* const kLine = "interrupted: this is what was found so far";
  const struct {
    const char *format, *says;
  } rows[] = {
      {"table", kLine}, {"md", kLine}, {"csv", "interrupted"}, {"tsv", "interrupted"}, {"svg", "Interrupted: "}};
  for (const auto& row : rows) CHECK(holds(interrupted({"search", "-", "--format", row.format}).out, row.says));
  CHECK(holds(interrupted({"search", "-", "--format", "csv", "--columns", "rank"}).out, "rank,interrupted"));
  CHECK(holds(interrupted({"search", "-", "--solve", "job.global_batch", "--until", "mfu >= 0.5"}).out, kLine));
  CHECK(holds(interrupted({"roadmap", "-", "--set", "roadmap=[flop-vs-bw]"}).out, kLine));
  CHECK(holds(interrupted({"sweep", "-"}).out, kLine));
  CHECK(holds(interrupted({"sweep", "-", "--format", "csv", "--sort", "index"}).out, "violations,interrupted"));
  CHECK(interrupted({"search", "-", "--quiet"}).err == "");
}

TEST_CASE("lines of a sweep that have left already are followed by one that says that more were to come") {
  const Ran r = interrupted({"sweep", "-", "--format", "ndjson", "--columns", "index"});
  const size_t last = r.out.rfind('\n', r.out.size() - 2) + 1;
  CHECK(Json::parse(r.out.substr(last)) == Json({{"format", "trainplan.sweep/1"}, {"interrupted", true}}));
  CHECK(holds(r.out, R"("index":0)"));
  const Ran table = interrupted({"sweep", "-", "--format", "csv", "--columns", "index,feasible"});
  CHECK(table.out.starts_with("index,feasible\n0,"));
  CHECK(table.out.ends_with("\ninterrupted,\n"));
}

TEST_CASE("nothing that ended by itself is marked") {
  for (const char* format : {"table", "json", "csv"})
    CHECK_FALSE(holds(ran({"search", "-", "--format", format}, kOpen).out, "interrupted"));
}

TEST_CASE("a SIGHUP that is ignored, as under nohup, stays ignored; the handlers from before come back") {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  const auto terminate = std::signal(SIGTERM, SIG_IGN);
  cli::interrupted() = false;
  {
    const cli::Interruptible guard;
    raise(SIGHUP);
    CHECK_FALSE(cli::interrupted());
    raise(SIGTERM);
    CHECK(cli::interrupted());
  }
  cli::interrupted() = false;
  CHECK((std::signal(SIGTERM, terminate) == SIG_IGN));
  CHECK((std::signal(SIGHUP, before) == SIG_IGN));
}
