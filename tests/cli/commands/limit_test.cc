// --limit and the line of progress.
#include "cli/commands/limit.h"

#include <doctest/doctest.h>

#include "cli/commands/common.h"
#include "cli/commands/elapsed.h"
#include "cli/commands/progress.h"
#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/planner/search/open_sample.h"

namespace {

const std::string kOpen = R"(
model: {use: megatron-1.7b}
job: {sequence: 2048, global_batch: 64}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism:
  tp: [1, 2, 4, 8]
  microbatch: range(1, 8)
  zero: [0, 1]
software: {use: megatron-core}
)";

Ran with(std::vector<std::string> args) {
  args.insert(args.begin() + 1, "-");
  return ran(args, kOpen);
}

/// The text left on the terminal: a carriage return ends a line.
std::string left_on_terminal(const std::string& text) { return text.substr(text.rfind("\r\x1b[K") + 4); }

}  // namespace

TEST_CASE("a space above the limit is an error that names its largest choices") {
  for (const char* command : {"search", "sweep"}) {
    const Ran r = with({command, "--limit", "63"});
    CHECK(r.status == 1);
    CHECK(r.out == "");
    CHECK_MESSAGE(holds(r.err, "<stdin>:7:15: error: the choices have 64 combinations, and the limit is 63\n"), r.err);
    CHECK(holds(r.err, "most have parallelism.microbatch (8 values), parallelism.tp (4), parallelism.zero (2);"));
    CHECK(with({command, "--limit", "64"}).status == 0);
  }
  CHECK(with({"search", "--limit", "32", "--shard", "1/2"}).status == 0);
  CHECK(holds(with({"search", "--limit", "31", "--shard", "1/2"}).err, "32 combinations in each of 2 shards"));
  CHECK(with({"sweep", "--limit", "1e1", "--format", "ndjson", "--top", "5"}).status == 0);
  CHECK(with({"sweep", "--limit", "1e1", "--top", "5"}).status == 1);
}

TEST_CASE("the limit is ten trillions where none is given, whatever depends on what") {
  const Ran r = with({"search", "--set", "cluster.gpus=range(1, 9000)", "--set", "job.sequence=range(1, 9000)", "--set",
                      "job.tokens=range(1, 9000)", "--set", "parallelism.microbatch=range(1, 2 * tp)", "--set",
                      "parallelism.zero=[0, 1, 2, 3]"});
  CHECK(r.status == 1);
  CHECK_MESSAGE(holds(r.err, "--set:1:14: error: the choices have about "), r.err);
  CHECK(holds(r.err, "and the limit is 1e+13"));
  // Of samples: 2, 4, 8 or 16 values, 7.5 on average.
  const std::string kAbout = "parallelism.microbatch (about ";
  REQUIRE(holds(r.err, kAbout));
  CHECK(std::stod(r.err.substr(r.err.find(kAbout) + kAbout.size())) == doctest::Approx(7.5).epsilon(0.1));
}

TEST_CASE("--limit takes the numbers of the language, from 1") {
  for (const char* wrong : {"0", "-1", "many", "1e9x", "3 GB", "1 s", "1e999", ""}) {
    INFO(std::string(wrong));
    const Ran r = with({"search", std::string("--limit=") + wrong});
    CHECK(r.status == 2);
    CHECK(holds(r.err, "--limit"));
  }
  double limit = 0;
  CHECK(cli::read_limit("2.5e6", limit) == "");
  CHECK(limit == 2.5e6);
}

TEST_CASE("a line of progress tells share, rate, time left and the best so far") {
  CHECK(cli::progress_line(3e6, 2e6, 12e6, 4, "step 12.34 s") ==
        "25.0 %  3000000 of 12.00 M candidates  500000/s  18 s left  best: step 12.34 s");
  CHECK(cli::progress_line(5, 5, 4, 1, "") == "99.9 %  5 of 4 candidates  5/s  0 s left");
  CHECK(cli::progress_line(0, 0, 4, 0, "") == "0.0 %  0 of 4 candidates  0/s");
  CHECK(holds(cli::progress_line(1, 1, 1 + 4000, 1, ""), "1:06:40 h left"));
  CHECK(holds(cli::progress_line(1, 1, 1 + 400, 1, ""), "6:40 min left"));
  CHECK(cli::progress_line(1, 1, 1e9, 1, std::string(100, 'x')).size() == 79);
}

TEST_CASE("a study of many searches counts its rows") {
  CHECK(cli::rows_line(0, 0, 1) == "");
  CHECK(cli::rows_line(0, 9, 1) == "0.0 %  0 of 9 rows");
  CHECK(cli::rows_line(3, 9, 6) == "33.3 %  3 of 9 rows  12 s left");
  CHECK(cli::rows_line(9, 9, 6) == "99.9 %  9 of 9 rows  0 s left");
}

TEST_CASE("the best so far is told in the unit of the goal") {
  const struct {
    const char* goal;
    double objective;
    const char* says;
  } rows[] = {
      {"null", 0.5, "step 500.0 ms"},
      {"{minimize: days}", 172800, "days 2.000 d"},
      {"{minimize: usd}", 1e6, "usd 1.000 MUSD"},
      {"{maximize: mfu}", -0.5, "mfu 0.5"},
      {"{minimize: memory.peak}", 1073741824, "memory.peak 1.000 GiB"},
      {"{minimize: usd + 10 USD/s * step}", 12, "12"},
  };
  for (const auto& row : rows) {
    std::vector<std::string> sets{"job.tokens=1e9"};
    if (std::string(row.goal) != "null") sets.push_back(std::string("goal=") + row.goal);
    CHECK(cli::goal_figure(sample::opened(sample::kGpt, sets).sample.goal, row.objective) == row.says);
  }
}

TEST_CASE("progress is drawn over one line, and cleared") {
  std::ostringstream err;
  planner::WalkProgress progress;
  progress.candidates = 10;
  const planner::Goal goal;
  {
    const cli::ProgressBar bar(err, progress, 100, goal, std::chrono::milliseconds(1));
    progress.best = 2;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(holds(err.str(), "10 of 100 candidates"));
  CHECK(holds(err.str(), "best: step 2.000 s"));
  CHECK(left_on_terminal(err.str()) == "");
  CHECK(!holds(err.str(), "\n"));
}

TEST_CASE("work of unknown end shows nothing in its first second") {
  CHECK(cli::work_line("fitting", 0) == "");
  CHECK(cli::work_line("fitting", 0.99) == "");
  CHECK(cli::work_line("fitting", 1) == "fitting  1 s");
  CHECK(cli::work_line("reading traces", 75.4) == "reading traces  75 s");
}

TEST_CASE("long work of unknown end shows its seconds on a terminal, and nothing elsewhere") {
  for (const bool terminal : {false, true}) {
    std::istringstream in;
    std::ostringstream out, err;
    cli::Streams streams{.in = in, .out = out, .err = err, .terminal = terminal};
    const int got = cli::elapsed({}, streams, "fitting", [] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      return 7;
    });
    CHECK(got == 7);
    CHECK((err.str().find("fitting  1 s") != std::string::npos) == terminal);
    CHECK((terminal ? left_on_terminal(err.str()) : err.str()) == "");
  }
}

TEST_CASE("a terminal changes nothing of the data") {
  for (const bool terminal : {false, true}) {
    std::istringstream in(kOpen);
    std::ostringstream out, err;
    cli::Streams streams{.in = in, .out = out, .err = err, .terminal = terminal};
    CHECK(cli::run({"search", "-", "--format", "json"}, streams) == 0);
    CHECK(out.str() == with({"search", "--format", "json"}).out);
    if (!terminal) CHECK(err.str() == "");
  }
}

TEST_CASE("--threads, or no more threads than have something to do") {
  CHECK(cli::thread_count({.threads = 3}, 10) == 3);
  CHECK(cli::thread_count({}, 0) == 1);
  CHECK(cli::thread_count({}, 20'000) == 1);
  const int64_t cores = cli::thread_count({});
  CHECK(cores >= 1);
  CHECK(cli::thread_count({}, 1e12) == cores);
}
