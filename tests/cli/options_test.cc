#include "cli/options.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "cli/commands.h"
#include "tests/cli/harness.h"

using cli::Request;

namespace {

Request parsed(const std::vector<std::string>& args) { return cli::parse(args, cli::commands()); }

}  // namespace

TEST_CASE("flags reach the options") {
  Request r = parsed({"plan",  "--format", "json",      "--columns",  "a,b",       "--sort", "x",
                      "--top", "3",        "--catalog", "one",        "--catalog", "two",    "--threads",
                      "4",     "--timing", "--quiet",   "--no-color", "--pick",    "first",  "file.yaml"});
  REQUIRE(r.command);
  CHECK(std::string(r.command->name) == "plan");
  CHECK(r.options.format == "json");
  CHECK(r.options.columns == std::vector<std::string>{"a", "b"});
  CHECK(r.options.sort == "x");
  CHECK(r.options.top == 3);
  CHECK(r.options.catalog == std::vector<std::string>{"one", "two"});
  CHECK(r.options.threads == 4);
  CHECK((r.options.timing && r.options.quiet && r.options.no_color));
  CHECK(r.options.pick == "first");
  CHECK(r.options.inputs == std::vector<std::string>{"file.yaml"});
}

TEST_CASE("--set takes one value each time and keeps its brackets") {
  Request r = parsed({"plan", "--set", "a=1", "file.yaml", "--set", "b=[4,8]", "--set=[1,2]"});
  REQUIRE(r.command);
  CHECK(r.options.inputs == std::vector<std::string>{"file.yaml"});
  CHECK(r.options.set == std::vector<std::string>{"a=1", "b=[4,8]", "[1,2]"});
}

TEST_CASE("standard input and names after -- are inputs") {
  CHECK(parsed({"plan", "-"}).options.inputs == std::vector<std::string>{"-"});
  CHECK(parsed({"plan", "--", "--odd.yaml"}).options.inputs == std::vector<std::string>{"--odd.yaml"});
  CHECK(parsed({"check", "a", "b", "c"}).options.inputs.size() == 3);
  CHECK(parsed({"list"}).options.inputs.empty());
}

TEST_CASE("a scalar flag given twice takes the last value") {
  CHECK(parsed({"plan", "--format", "json", "--format", "csv", "x"}).options.format == "csv");
}

TEST_CASE("wrong usage is exit status 2 and one line on standard error") {
  struct Row {
    std::vector<std::string> args;
    const char* part;
  };
  const Row rows[] = {
      {{}, "no command"},
      {{"paln", "x"}, "did you mean 'plan'?"},
      {{"--frmat"}, "unknown flag"},
      {{"plan"}, "SCENARIO"},
      {{"plan", "a", "b"}, "unexpected argument"},
      {{"plan", "--formt", "json", "a"}, "did you mean '--format'?"},
      {{"plan", "--format", "xml", "a"}, "xml"},
      {{"plan", "--format", "svg", "a"},
       "--format svg: there is no picture of plan; there is one of search, merge, ops, comm, roadmap, scale"},
      {{"ops", "--format", "svg", "--columns", "name", "a"}, "a picture has none"},
      {{"search", "--format", "svg", "--sort", "mfu", "a"}, "a picture has none"},
      {{"plan", "--format"}, "--format"},
      {{"plan", "--top", "many", "a"}, "--top"},
      {{"plan", "--top", "0", "a"}, "--top"},
      {{"plan", "--top", "-1", "a"}, "--top"},
      {{"plan", "--threads", "1.5", "a"}, "--threads"},
      {{"plan", "--pick", "worst", "a"}, "worst"},
      {{"plan", "--group", "class", "a"}, "--group"},
      {{"ops", "--group", "colour", "a"}, "colour"},
      {{"ops", "--group", "class,colour", "a"}, "colour"},
      {{"list", "--set", "a=1"}, "--set"},
      {{"check"}, "FILE"},
      {{"show"}, "NAME"},
      {{"show", "a", "b"}, "unexpected argument"},
      {{"plan", "--set"}, "--set"},
  };
  for (const Row& row : rows) {
    Ran r = ran(row.args);
    CAPTURE(r.err);
    CHECK(r.status == 2);
    CHECK(r.out == "");
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    CHECK(r.err.find("usage: trainplan") != std::string::npos);
    CHECK(r.err.find(row.part) != std::string::npos);
  }
}

TEST_CASE("--version prints one line") {
  Ran r = ran({"--version"});
  CHECK(r.status == 0);
  CHECK(r.out.starts_with("trainplan "));
  CHECK(std::count(r.out.begin(), r.out.end(), '\n') == 1);
}

TEST_CASE("help lists every command and every flag, and exits 0") {
  Ran overview = ran({"--help"});
  CHECK(overview.status == 0);
  for (const cli::Command& c : cli::commands()) {
    CHECK(overview.out.find(std::string("  ") + c.name + " ") != std::string::npos);
    Ran help = ran({c.name, "--help"});
    CHECK(help.status == 0);
    CHECK(help.out.starts_with(cli::usage(c) + "\n"));
    for (const std::string& flag : cli::flag_names(c))
      if (flag != "--help") CHECK_MESSAGE(help.out.find("  " + flag) != std::string::npos, flag);
  }
}

TEST_CASE("the help of plan stays as it is until somebody means it") {
  CHECK(ran({"plan", "--help"}).out ==
        "usage: trainplan plan SCENARIO [flags]\n"
        "\n"
        "one configuration: step time, breakdown, memory, throughput, cost\n"
        "\n"
        "flags:\n"
        "  --format table|json|ndjson|csv|tsv|md|svg|dot\n"
        "                        how the result is printed (table); svg is a picture, of\n"
        "                        commands that have one, dot the graph of ops --graph\n"
        "  --columns A,B         only these columns, in this order\n"
        "  --sort KEY            rows by a column: numbers largest first, text A to Z;\n"
        "                        KEY:asc and KEY:desc say which\n"
        "  --top N               the first N rows\n"
        "  --set PATH=EXPR       a field's value, as if written in the scenario;\n"
        "                        repeatable\n"
        "  --catalog DIR         catalogue files that come before the built-in ones;\n"
        "                        repeatable\n"
        "  --threads N           threads; never changes the result\n"
        "  --pick first|best     which value of an open choice to take\n"
        "  --timeline FILE       the events of the pipeline, in the trace-event format of\n"
        "                        Perfetto and Chrome\n"
        "  --timing              the tool's own times, on standard error\n"
        "  --quiet               no warnings\n"
        "  --no-color            no colour in messages (also: NO_COLOR in the\n"
        "                        environment)\n");
}

TEST_CASE("a shell can ask for commands, flags and names") {
  CHECK(ran({"__complete"}).out.starts_with("plan\nsearch\n"));
  CHECK(ran({"__complete", "ops", ""}).out.find("--group\n") != std::string::npos);
  CHECK(ran({"__complete", "list", ""}).out.find("accelerator\n") != std::string::npos);
}
