// Decisions of `tune` as a file that `replay` applies: they agree, and mistakes in one are reported at their place.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/files/decisions.h"
#include "tests/cli/harness.h"
#include "tests/cli/mangled.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/data_parallel.h"

using Json = nlohmann::ordered_json;

namespace {

/// A run of two ranks; the files of it.
struct Run {
  TestFolder files;
  std::vector<std::string> traces;

  explicit Run(size_t gradients = 4) {
    sample::DataParallel run{.bucket_ends = {2, gradients}, .late_us = {0, 9}};
    run.elements.assign(gradients, 4000);
    run.kernel_us.assign(gradients, 30);
    for (const sample::KinetoText& text : sample::data_parallel(run))
      traces.push_back(files.add("rank" + std::to_string(traces.size()) + ".json", text.text()));
  }
  Ran command(std::vector<std::string> args) const {
    args.insert(args.begin() + 1, traces.begin(), traces.end());
    return ran(args);
  }
  std::string path(const char* name) const { return files.name() + "/" + name; }
  Json document(std::vector<std::string> args) const {
    args.insert(args.end(), {"--format", "json"});
    const Ran r = command(args);
    REQUIRE_MESSAGE(r.status == 0, r.err);
    return Json::parse(r.out);
  }
};

constexpr const char* kDecisions = R"({
"format": "trainplan.decisions/1", "strategy": "best", "measured_seconds": 1, "replayed_seconds": 1,
"gradients": 4, "unreduced": [],
"reduction": {"collective": "all-reduce", "ranks": 2, "seconds_per_partition": 5e-6, "seconds_per_byte": 1e-9},
"buckets": [{"gradients": [1, 2], "bytes": 32000, "partitions": 1, "wait_seconds": 0},
{"gradients": [3, 4], "bytes": 32000, "partitions": 2, "wait_seconds": 0}],
"decisions": [{"pass": "tensor-fusion", "target": "bucket 1", "replayed_gain_seconds": 1e-6}]})";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kDecisions;
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("tune: decisions that are written are those of the document, and replay applies them") {
  const Run run;
  const Json doc = run.document({"tune", "--strategy", "measured", "--write-decisions", run.path("measured.json")});
  const Json& decisions = doc["to_apply"];
  CHECK(decisions["strategy"] == "measured");
  CHECK(decisions["buckets"].size() == 2);
  CHECK(decisions["decisions"].size() == 2);
  const double measured = decisions["measured_seconds"];
  CHECK(decisions["replayed_seconds"].get<double>() == doctest::Approx(measured).epsilon(0.005));
  const Json replayed = run.document({"replay", "--apply", run.path("measured.json")});
  for (const Json& rank : replayed["ranks"])
    CHECK(rank["changed_seconds"].get<double>() ==
          doctest::Approx(rank["replayed_seconds"].get<double>()).epsilon(0.005));
  const Json unfused = run.document({"tune", "--strategy", "unfused", "--write-decisions", run.path("unfused.json")});
  CHECK(unfused["to_apply"]["decisions"].empty());
  const Json changed =
      run.document({"replay", "--apply", run.path("unfused.json"), "--timeline", run.path("line.json")});
  for (const Json& rank : changed["ranks"]) CHECK(rank["changed_seconds"] != rank["replayed_seconds"]);
}

TEST_CASE("replay --advice: buckets have the step that applying them prints") {
  const Run run;
  size_t tried = 0;
  const std::string begins = "buckets of tune --strategy '";
  const Json doc = run.document({"replay", "--advice"});
  for (const Json& advice : doc["advice"]) {
    const std::string what = advice["what"];
    if (advice["flag"] != "--apply FILE") continue;
    REQUIRE(what.starts_with(begins));
    const std::string name = what.substr(begins.size(), what.size() - begins.size() - 1);
    run.document({"tune", "--strategy", name, "--write-decisions", run.path("tried.json")});
    const Json change = run.document({"replay", "--apply", run.path("tried.json")})["change"];
    CHECK_MESSAGE(change["changed_seconds"] == advice["step_seconds"], name);
    ++tried;
  }
  CHECK(tried > 3);
}

TEST_CASE("replay --apply: what is wrong in a file of decisions is told at its place") {
  struct Row {
    std::string text, place, message;
  };
  const Row rows[] = {
      {"{", ":1:2", "the text ends inside a value"},
      {"[1]", ":1:1", "expected an object here"},
      {with("decisions/1", "decisions/2"), ":2:11", "expected the format 'trainplan.decisions/1'"},
      {with("\"strategy\"", "\"strategi\""), ":2:36", "unknown key 'strategi'"},
      {with("\"partitions\": 1", "\"partitions\": -1"), ":5:65", "expected a whole number from 1 for 'partitions'"},
      {with("\"partitions\": 2", "\"partitions\": 2000000"), ":6:", "expected 1000000 at most for 'partitions'"},
      {with("\"bytes\": 32000", "\"bytes\": -1"), ":5:", "expected 0 to 1e+18 for 'bytes'"},
      {with("5e-6", "-5e-6"), ":4:", "expected 0 to 1e+06 for 'seconds_per_partition'"},
      {with("5e-6", "9e5"), ":6:1", "a reduction of this bucket takes longer than 1e+06 s"},
      {with("[3, 4]", "[2, 3, 4]"), ":6:16", "gradient 2 is in bucket 1 already"},
      {with("[3, 4]", "[3, 5]"), ":6:19", "expected the number of a gradient, 1 to 4"},
      {with("[3, 4]", "[4]"), ":5:12", "gradient 3 is in no bucket"},
      {with("[3, 4]", "[]"), ":6:1", "expected gradients in this bucket"},
      {with("\"unreduced\": []", "\"unreduced\": [1]"), ":3:", "gradient 1 is in bucket 1 already"},
      {with("all-reduce", "broadcast"), ":4:", "expected 'all-reduce'"},
      {with("tensor-fusion", "fusion"), ":7:", "no pass is called 'fusion'"},
      {with("\"gradients\": 4", "\"gradients\": 5"), ":5:", "gradient 5 is in no bucket"},
  };
  const Run run;
  for (const Row& row : rows) {
    INFO(row.text);
    const std::string file = run.files.add("wrong.json", row.text);
    const Ran r = run.command({"replay", "--apply", file});
    CHECK(r.status == 1);
    CHECK_MESSAGE(holds(r.err, file + row.place), r.err);
    CHECK_MESSAGE(holds(r.err, row.message), r.err);
  }
}

TEST_CASE("replay --apply: a member that is gone or of another kind is a message with a place") {
  size_t refused = 0;
  for (const std::string& text : mangled(Json::parse(kDecisions))) {
    INFO(text);
    dsl::Diagnostics diagnostics;
    const bool read = cli::read_decisions({"wrong.json", text, ""}, diagnostics).has_value();
    CHECK(read != diagnostics.has_errors());
    refused += !read;
  }
  CHECK(refused > 100);
}

TEST_CASE("replay --apply: decisions of another run") {
  const Run run(5);
  const std::string file = run.files.add("four.json", kDecisions);
  const Ran other = run.command({"replay", "--apply", file});
  CHECK(other.status == 1);
  CHECK(holds(other.err, file + ":3:14: error: no step of the trace has 4 gradients"));
  CHECK(holds(other.err, "hint: are these decisions of `trainplan tune` with the same traces?"));
  const Run same;
  const std::string ranks = same.files.add("eight.json", with("\"ranks\": 2", "\"ranks\": 8"));
  CHECK(holds(same.command({"replay", "--apply", ranks}).err,
              "warning: the decisions are of 8 ranks, and the trace is of 2"));
  const Ran machine = same.command({"replay", "--apply", ranks, "--ranks", "4", "--from-machine", "dgx-a100-80gb"});
  CHECK(holds(machine.err, "--apply says how long reductions take on the machine of the trace"));
  CHECK(same.command({"replay", "--apply", "/none.json"}).status == 1);
}

TEST_CASE("tune: strategies are asked for by the names of the table, and decisions are of traces") {
  const Run run;
  const Ran unknown = run.command({"tune", "--strategy", "bets"});
  CHECK(unknown.status == 1);
  CHECK(holds(unknown.err, "hint: did you mean 'best'?"));
  CHECK(run.command({"tune", "--write-decisions", run.path("none/best.json")}).status == 1);
  const std::string job = run.files.add("job.yaml", "model: {layers: 2}\n");
  CHECK(holds(ran({"tune", job, "--strategy", "ddp"}).err, "--write-decisions and --strategy need traces"));
}

TEST_CASE("tune: a file is a trace by its first bytes, whatever it is called, and so is what is piped in") {
  const Run run;
  const sample::KinetoText text = sample::data_parallel({.elements = {4000}, .kernel_us = {30}, .bucket_ends = {1}})[0];
  const std::string named = run.files.add("trace.yaml", text.text());
  const Ran file = ran({"tune", named}), piped = ran({"tune", "-"}, text.text());
  CHECK_MESSAGE(file.status == 0, file.err);
  CHECK(piped.status == 0);
  CHECK(piped.out == file.out);
  CHECK(holds(ran({"tune", "-"}, "model: {layer: 2}\n").err, "<stdin>:1:9: error: unknown"));
}
