#include "cli/args/parse.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "cli/args/help.h"
#include "cli/commands/commands.h"
#include "tests/cli/harness.h"

using cli::Request;

namespace {

Request parsed(const std::vector<std::string>& args) { return cli::parse(args, cli::commands()); }

/// The given value of a flag; nullopt if it is absent.
template <class T> std::optional<T> value(const Request& request, std::string_view name) {
  REQUIRE(request.command);
  const std::span<const cli::Flag> flags = request.command->flags;
  const auto at = std::ranges::find_if(flags, [&](const cli::Flag& flag) { return flag.name == name; });
  REQUIRE(at != flags.end());
  const cli::FlagValue& given = request.arguments.values.at(static_cast<size_t>(at - flags.begin()));
  return given.index() ? std::optional(std::get<T>(given)) : std::nullopt;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("flags are read as what they take") {
  const Request r =
      parsed({"scale", "--format", "json",  "--columns", "a,b",    "--top", "3",       "--catalog", "one",
              "--set", "a=1",      "--set", "b=2",       "--at",   "4,5.5", "--reach", "1e3",       "--plan",
              "x",     "--quiet",  "--at",  "6",         "--sort", "",      "y"});
  CHECK(std::string(r.command->name) == "scale");
  CHECK(value<std::string>(r, "--format") == "json");
  CHECK(value<Texts>(r, "--columns") == Texts{"a", "b"});
  CHECK(value<int64_t>(r, "--top") == 3);
  CHECK(value<Texts>(r, "--catalog") == Texts{"one"});
  CHECK(value<Texts>(r, "--set") == Texts{"a=1", "b=2"});
  CHECK(value<std::vector<double>>(r, "--at") == std::vector<double>{4, 5.5, 6});
  CHECK(value<double>(r, "--reach") == 1e3);
  CHECK(value<bool>(r, "--plan") == true);
  CHECK(value<std::string>(r, "--sort") == "");
  CHECK_FALSE(value<bool>(r, "--timing"));
  CHECK_FALSE(value<std::string>(r, "--budget"));
  CHECK(r.arguments.inputs == Texts{"x", "y"});
}

TEST_CASE("--set takes one value each time and keeps its brackets") {
  const Request r = parsed({"plan", "--set", "a=1", "file.yaml", "--set", "b=[4,8]", "--set=[1,2]"});
  CHECK(value<Texts>(r, "--set") == Texts{"a=1", "b=[4,8]", "[1,2]"});
  CHECK(r.arguments.inputs == Texts{"file.yaml"});
}

TEST_CASE("standard input and names after -- are inputs") {
  CHECK(parsed({"plan", "-"}).arguments.inputs == Texts{"-"});
  CHECK(parsed({"plan", "--", "--odd.yaml"}).arguments.inputs == Texts{"--odd.yaml"});
  CHECK(parsed({"check", "a", "b", "c"}).arguments.inputs.size() == 3);
  CHECK(parsed({"list"}).arguments.inputs.empty());
}

TEST_CASE("a text that begins like a flag is an input of the command that takes texts, and of no other") {
  CHECK(parsed({"import", "megatron", "--num-layers 2 --hidden-size 64"}).arguments.inputs.size() == 2);
  CHECK_FALSE(parsed({"check", "--num-layers 2"}).command);
}

TEST_CASE("a scalar flag given twice takes the last value") {
  CHECK(value<std::string>(parsed({"plan", "--format", "json", "--format", "csv", "x"}), "--format") == "csv");
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
      {{"check", "--format", "svg", "a"},
       "--format svg: there is no picture of check; there is one of plan, search, sweep, merge, compare, clusters, "
       "ops, comm, roadmap, "
       "seqpoint, scale, "
       "replay"},
      {{"ops", "--format", "svg", "--columns", "name", "a"}, "a picture has none"},
      {{"search", "--format", "svg", "--sort", "mfu", "a"}, "a picture has none"},
      {{"plan", "--format"}, "--format"},
      {{"plan", "--top", "many", "a"}, "--top"},
      {{"plan", "--top", "0", "a"}, "--top"},
      {{"plan", "--top", "-1", "a"}, "--top"},
      {{"plan", "--threads", "1.5", "a"}, "--threads"},
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
        "  --pick first|best|N   value to take for an open choice: the first one, that of\n"
        "                        the best plan, or that of row N of a search\n"
        "  --measured TIME       a measured step time of this scenario ('8.0 s'): it\n"
        "                        corrects the plan and narrows its interval\n"
        "  --timeline FILE       write the events of the pipeline, in the trace-event\n"
        "                        format of Perfetto and Chrome\n"
        "  --rank RANKS          only the timeline of these ranks, such as 0 or 0-7,12:\n"
        "                        each runs its stage\n"
        "  --vary A=X,B=Y        days and dollars with a number X times as large, each\n"
        "                        alone and all together: price=0.8,tokens=1.2,failures=2\n"
        "  --set PATH=EXPR       override a field of the scenario; PATH*=X, /=, += and -=\n"
        "                        change it; repeatable\n"
        "  --prices FILE         a file with your own cluster prices, such as {dgx-h100:\n"
        "                        {price: 2.10 USD/h}}\n"
        "  --threads N           number of threads, at most 1024; it never changes the\n"
        "                        result\n"
        "\n"
        "flags of every command:\n"
        "  --format table|json|ndjson|csv|tsv|md|html|svg|dot|github|sarif\n"
        "                        how the result is printed (table); svg is a picture, of\n"
        "                        commands that have one, dot the graph of ops --graph,\n"
        "                        github and sarif the mistakes of check\n"
        "  --columns A,B         print only these columns, in this order\n"
        "  --all-columns         csv and tsv of a plan: every column, not only those that\n"
        "                        people use\n"
        "  --sort KEY            sort rows by a column: numbers largest first, text A to\n"
        "                        Z; KEY:asc or KEY:desc sets the order\n"
        "  --top N               print only the first N rows\n"
        "  --crlf                lines of csv end in CR and LF\n"
        "  --output FILE         write to this file; on failure an existing file stays as\n"
        "                        it was\n"
        "  --catalog DIR         catalogue files that come before the built-in ones;\n"
        "                        repeatable\n"
        "  --timing              print how long trainplan itself took, to standard error\n"
        "  --quiet               no warnings\n"
        "  --no-color            no colour in messages and tables (also: NO_COLOR in the\n"
        "                        environment)\n"
        "\n"
        "examples:\n"
        "  one layout of GPT-3 on 512 A100s:\n"
        "    trainplan plan example:gpt3-175b\n"
        "  another layout of it:\n"
        "    trainplan plan example:gpt3-175b --set parallelism.tp=4 --set parallelism.pp=16\n");
}

TEST_CASE("a shell can ask for commands, flags and names") {
  CHECK(ran({"__complete"}).out.starts_with("plan\nsearch\n"));
  CHECK(ran({"__complete", "ops", ""}).out.find("--group\n") != std::string::npos);
  CHECK(ran({"__complete", "list", ""}).out.find("accelerator\n") != std::string::npos);
}
