// The exit status of every command on every kind of input, and which stream says what.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

using Json = nlohmann::ordered_json;

namespace {

using Args = std::vector<std::string>;

std::string joined(const Args& args) {
  std::string out;
  for (const std::string& a : args) out += " " + a;
  return out;
}

struct Row {
  Args args;
  int status;
  const char* message;  // a part of standard error
};

void check(const std::vector<Row>& rows, const std::string& in = kSmallJob) {
  for (const Row& row : rows) {
    Ran r = ran(row.args, in);
    INFO(joined(row.args), " | ", r.err);
    CHECK(r.status == row.status);
    CHECK(holds(r.err, row.message));
    if (*row.message == '\0') CHECK(r.err == "");
    CHECK((r.status == 0 || r.status == 3 || r.out == ""));
    CHECK_FALSE(has_nan(r.out));
  }
}

}  // namespace

TEST_CASE("plan and ops: status and message by input") {
  TestFolder folder;
  const std::string good = folder.add("good.yaml", kSmallJob), bad = folder.add("bad.yaml", "jub: 1\n"),
                    empty = folder.add("empty.yaml", ""), binary = folder.add("binary.yaml", std::string("\0\1", 2)),
                    open = folder.add("open.yaml", std::string(kSmallJob) + "where: [\"a\n");
  for (const std::string& command : {std::string("plan"), std::string("ops")})
    check({{{command, good}, 0, ""},
           {{command, "-"}, 0, ""},
           {{command, "--quiet", good}, 0, ""},
           {{command, bad}, 1, "bad.yaml:1:1: error: unknown field 'jub'"},
           {{command, empty}, 1, "error"},
           {{command, binary}, 1, "binary.yaml:1:1: error"},
           {{command, open}, 1, "open.yaml:5:9: error"},
           {{command, folder.name()}, 1, "is a directory"},
           {{command, good + ".not"}, 1, "no such file"},
           {{command, ""}, 1, "cannot read ''"},
           {{command, good, "--set", "job.global_batch=0"}, 1, "--set:1:18: error"},
           {{command, good, "--set", "job.global_batch"}, 1, "--set:1:1: error: expected PATH=VALUE"},
           {{command, good, "--set", "job.global_batch=\"2"}, 1, "the quote is never closed"},
           {{command, good, "--set", "model.use=gpt5"}, 1, "no model named 'gpt5'"},
           {{command, good, "--set", "parallelism.tp=[1, 2]"}, 1, "is an open choice of 2 values"},
           {{command, good, "--set", "parallelism.tp=[1, 2]", "--pick", "first", "--quiet"}, 0, ""},
           {{command, good, "--set", "parallelism.tp=[]"}, 1, "is an empty choice"},
           {{command, good, "--set", "parallelism.dp=3"}, 3, command == "ops" ? "not feasible: ranks" : ""},
           {{command, good, "--catalog", folder.name() + "/none"}, 1, "no such directory"},
           {{command, good, "--catalog", good}, 1, "no such directory"},
           {{command, good, "--columns", "nothing"}, 2, "--columns: no column 'nothing'"},
           {{command, good, "--sort", "nothing"}, 2, "--sort: no column 'nothing'"},
           {{command, good, "--format", "xml"}, 2, "usage: trainplan "},
           {{command, good, "--nothing"}, 2, "unknown flag '--nothing'"},
           {{command, good, good}, 2, "unexpected argument"},
           {{command}, 2, "SCENARIO"}});
}

TEST_CASE("a layout that cannot be is told by ops on standard error, by plan on its page") {
  Ran ops = ran({"ops", "--set", "parallelism.dp=3", "-"}, kSmallJob);
  CHECK(holds(ops.err, "not feasible: ranks: "));
  for (const char* format : {"table", "json", "ndjson", "csv", "tsv", "md"}) {
    INFO(std::string(format));
    Ran plan = ran({"plan", "--format", format, "--set", "parallelism.dp=3", "-"}, kSmallJob);
    CHECK(plan.status == 3);
    CHECK(plan.err == "");
    CHECK(holds(plan.out, "ranks"));
    CHECK(ran({"ops", "--format", format, "--set", "parallelism.dp=3", "-"}, kSmallJob).status == 3);
  }
}

TEST_CASE("conditions that do not hold are violations, wrong ones are mistakes") {
  check({{{"plan", "-", "--set", "where=[step < 1000 d]"}, 0, ""},
         {{"plan", "-", "--set", "where=[mfu > 0.99]"}, 3, ""},
         {{"plan", "-", "--set", "where=[mfu > 1 s]"}, 1, "cannot compare"},
         {{"plan", "-", "--set", "where=[mfuu > 1]"}, 1, "unknown name 'mfuu'"},
         {{"plan", "-", "--set", "where=[mfu]"}, 1, "expected a condition for where"},
         {{"plan", "-", "--set", "goal.minimize=true"}, 1, "expected a number or quantity"},
         {{"plan", "-", "--set", "goal.deadline=3"}, 1, "expected time for goal.deadline"}});
  Json plan = Json::parse(ran({"plan", "-", "--format", "json", "--set", "where=[mfu > 0.99]"}, kSmallJob).out);
  CHECK(plan["feasible"] == false);
  CHECK(plan["violations"][0]["rule"] == "where");
  CHECK(plan["step"]["seconds"].is_number());
}

TEST_CASE("list, show and check: status and message by input") {
  TestFolder folder;
  const std::string model = folder.add("toy.yaml", kToyModel), job = folder.add("job.yaml", kSmallJob),
                    bad = folder.add("models/bad.yaml", "layers: 0\nhidden: 64\nheads: 2\nvocab: 100\n");
  check({{{"list"}, 0, ""},
         {{"list", "models"}, 0, ""},
         {{"list", "calibrations"}, 0, ""},
         {{"list", "nothing"}, 1, "unknown kind 'nothing'"},
         {{"list", ""}, 1, "unknown kind ''"},
         {{"list", "model", "cluster"}, 2, "unexpected argument 'cluster'"},
         {{"list", "--catalog", folder.name()}, 0, ""},
         {{"list", "--catalog", model}, 1, "no such directory"},
         {{"list", "cluster", "--sort", "price", "--top", "1"}, 0, ""},
         {{"list", "model", "--sort", "size"}, 2, "--sort: no column 'size'"},
         {{"show", "gpt3-175b"}, 0, ""},
         {{"show", "model/gpt3-175b"}, 0, ""},
         {{"show", "models/gpt3-175b"}, 0, ""},
         {{"show", "cluster/gpt3-175b"}, 1, "no catalogue entry"},
         {{"show", "gpt3-175"}, 1, "did you mean"},
         {{"show", ""}, 1, "no catalogue entry ''"},
         {{"show", "-"}, 1, "standard input is neither"},
         {{"show", model}, 0, ""},
         {{"show", job}, 1, "is a scenario, not a catalogue entry"},
         {{"show", bad}, 1, "bad.yaml:1:9: error: model.layers must be at least 1, got 0"},
         {{"show", folder.name() + "/none.yaml"}, 1, "no such file"},
         {{"show"}, 2, "NAME"},
         {{"check", model}, 0, ""},
         {{"check", job, model}, 0, ""},
         {{"check", "-"}, 0, ""},
         {{"check", folder.name()}, 1, "is a directory"},
         {{"check", folder.name() + "/none.yaml"}, 1, "no such file"},
         {{"check", bad}, 1, "bad.yaml:1:9: error: model.layers must be at least 1, got 0"},
         {{"check", "--set", "a=1", job}, 2, "unknown flag '--set'"}});
}

TEST_CASE("mistakes are a document on standard output with --format json, for every command that reads") {
  TestFolder folder;
  const std::string bad = folder.add("bad.yaml", "jub: 1\nmodel: {use: nothing-like-it}\n");
  for (const Args& args : {Args{"plan", bad},
                           {"ops", bad},
                           {"check", bad},
                           {"show", "no-such-entry"},
                           {"list", "no-such-kind"},
                           {"validate", bad},
                           {"plan", "/no/such/file"}}) {
    INFO(joined(args));
    Args with = args;
    with.insert(with.end(), {"--format", "json"});
    Ran r = ran(with);
    CHECK(r.status == 1);
    const Json document = Json::parse(r.out, nullptr, false);
    REQUIRE(document.is_object());
    CHECK(document["format"] == "trainplan.diagnostics/1");
    CHECK(document["diagnostics"].size() > 0);
    for (const Json& d : document["diagnostics"]) {
      CHECK(d["severity"] == "error");
      CHECK(holds(r.err, d["message"].get<std::string>()));
      CHECK(d["file"].is_null() == d["line"].is_null());
    }
    CHECK(ran(args).err == r.err);
    for (const char* other : {"csv", "ndjson", "md"}) {
      with.back() = other;
      if (args[0] != "check") CHECK(ran(with).out == "");
    }
  }
}

TEST_CASE("colour is only in messages, and only where it is asked for") {
  for (const bool color : {false, true})
    for (const bool refused : {false, true}) {
      std::istringstream in("jub: 1\n");
      std::ostringstream out, err;
      cli::Streams streams{.in = in, .out = out, .err = err, .color = color, .width = 80};
      Args args{"plan", "-", "--format", "json"};
      if (refused) args.emplace_back("--no-color");
      CHECK(cli::run(args, streams) == 1);
      CHECK(holds(err.str(), "\033[") == (color && !refused));
      CHECK_FALSE(holds(out.str(), "\033["));
    }
}

TEST_CASE("a schedule that does not exist is refused at its place, with the nearest that does") {
  check(
      {{{"plan", "-", "--set", "parallelism.schedule=zb-w"}, 1, "--set:1:22: error: unknown pipeline schedule 'zb-w'"},
       {{"plan", "-", "--set", "parallelism.schedule=zbh1"}, 1, "did you mean 'zb-h1'?"},
       {{"plan", "-", "--set", "software.schedule=gpipes"}, 1, "did you mean 'gpipe'?"}});
}
