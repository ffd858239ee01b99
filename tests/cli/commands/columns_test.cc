// --columns by the names that a page shows, and messages about other names.
#include <doctest/doctest.h>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"

namespace {

const std::string kOpen = std::string(kSmallJob) + "where: [tp <= 4]\n";

Ran search(const std::vector<std::string>& more) {
  std::vector<std::string> args{"search", "-",
                                "--set",  "parallelism.tp=[1, 2, 4]",
                                "--set",  "parallelism.pp=[1, 2]",
                                "--set",  "parallelism.microbatch=[1, 2]"};
  args.insert(args.end(), more.begin(), more.end());
  return ran(args, kOpen);
}

/// The words between "(not shown:" and what follows them.
std::vector<std::string> not_shown(const std::string& page) {
  const size_t at = page.find("(not shown:");
  REQUIRE(at != std::string::npos);
  std::string words = page.substr(at + 11, page.find(';', at) - at - 11);
  std::vector<std::string> out(1);
  for (const char c : words) {
    if (c != ' ' && c != '\n') out.back() += c;
    else if (!out.back().empty()) out.emplace_back();
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

}  // namespace

TEST_CASE("every name that a page says it does not show is a column, which --columns shows") {
  struct Row {
    std::vector<std::string> args;
    std::string input;
  };
  const Row rows[] = {{{"search", "-", "--set", "parallelism.tp=[1, 2, 4]", "--set", "parallelism.pp=[1, 2]"}, kOpen},
                      {{"ops", "-"}, kSmallJob},
                      {{"list", "technique"}, ""}};
  for (const Row& row : rows) {
    CAPTURE(row.args[0]);
    const Ran page = ran(row.args, row.input);
    if (page.out.find("(not shown:") == std::string::npos) continue;
    if (page.out.find("--columns picks") == std::string::npos) continue;  // other tables, of JSON alone
    for (const std::string& name : not_shown(page.out)) {
      CAPTURE(name);
      std::vector<std::string> args = row.args;
      args.insert(args.end(), {"--columns", name, "--format", "csv"});
      const Ran picked = ran(args, row.input);
      CHECK_MESSAGE(picked.status == 0, picked.err);
      CHECK(picked.out.find('\n') + 1 < picked.out.size());
    }
  }
}

TEST_CASE("a search's columns by their names on the page and in the rows are the same") {
  struct Row {
    const char *page, *rows;
  };
  for (const Row& row : {Row{"tp", "parallelism.tp"}, Row{"dp", "parallelism.dp"}, Row{"low", "low_seconds"},
                         Row{"step", "step_seconds"}, Row{"MFU", "mfu"}, Row{"memory", "peak_bytes"},
                         Row{"run", "days"}, Row{"cost", "usd"}, Row{"tied", "tied"}, Row{"#", "rank"}}) {
    CAPTURE(std::string(row.page));
    const Ran a = search({"--columns", row.page, "--format", "csv"});
    CHECK_MESSAGE(a.status == 0, a.err);
    CHECK(a.out == search({"--columns", row.rows, "--format", "csv"}).out);
  }
  CHECK(search({"--sort", "run:asc", "--format", "csv"}).out == search({"--sort", "days:asc", "--format", "csv"}).out);
}

TEST_CASE("the columns of ops by their headings") {
  CHECK(ran({"ops", "-", "--columns", "name,time", "--format", "csv"}, kSmallJob).out ==
        ran({"ops", "-", "--columns", "name,seconds", "--format", "csv"}, kSmallJob).out);
}

TEST_CASE("an unknown column is wrong usage, and the message lists those that there are") {
  const Ran r = search({"--columns", "nothing"});
  CHECK(r.status == 2);
  CHECK_MESSAGE(holds(r.err, "--columns: no column 'nothing'; there are rank, tied, choices, parallelism"), r.err);
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  const Ran plan = ran({"plan", "-", "--columns", "step.second"}, kSmallJob);
  CHECK(plan.status == 2);
  CHECK(holds(plan.err, "did you mean 'step.seconds'?; there are "));
  CHECK(holds(plan.err, " more\n"));
}

TEST_CASE("lines of csv end in LF, with --crlf in CR and LF") {
  const std::vector<std::string> args{"ops", "-", "--format", "csv", "--top", "3"};
  const Ran plain = ran(args, kSmallJob);
  std::vector<std::string> more = args;
  more.emplace_back("--crlf");
  std::string joined = ran(more, kSmallJob).out;
  CHECK(plain.out.find('\r') == std::string::npos);
  CHECK(std::count(joined.begin(), joined.end(), '\r') == 4);
  std::erase(joined, '\r');
  CHECK(joined == plain.out);
}

TEST_CASE("a selection of runs that is empty is an error") {
  const Ran r = ran({"validate", "tests/accuracy/runs_small.csv", "--where", "group == \"none\""});
  CHECK(r.status == 1);
  CHECK(r.out == "");
  CHECK(holds(r.err, "--where selects none of the table's rows: 'group == \"none\"'"));
}

TEST_CASE("--sort and --top keep the page, and a page's own columns can be named") {
  const std::string machines =
      "model: {use: llama3-8b}\njob: {sequence: 2048, global_batch: 64, tokens: 1e9}\n"
      "cluster: {use: [dgx-a100-80gb, dgx-h100], gpus: 8}\ngoal: {minimize: usd, deadline: 100 d}\n";
  const auto lines = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args{"clusters", "-", "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    const Ran page = ran(args, machines);
    REQUIRE_MESSAGE(page.status == 0, page.err);
    return page.out;
  };
  const std::string whole = lines({}), sorted = lines({"--sort", "days:asc"}),
                    one = lines({"--sort", "days:asc", "--top", "1"});
  CHECK(whole.find("\ndgx-a100-80gb ") < whole.find("\ndgx-h100 "));
  CHECK(sorted.find("\ndgx-h100 ") < sorted.find("\ndgx-a100-80gb "));
  CHECK(sorted.find("best for the goal") != std::string::npos);
  CHECK(one.find("\ndgx-a100-80gb  ") == std::string::npos);
  const std::string named = lines({"--columns", "cluster,meets,layout", "--sort", "meets"});
  CHECK(named.find("tp2 dp4") != std::string::npos);
  CHECK(named.find("yes") != std::string::npos);
}

TEST_CASE("a plan's row has the columns that people use, and --all-columns every one") {
  const std::string scenario =
      "model: {use: llama3-8b}\njob: {sequence: 2048, global_batch: 64, tokens: 1e9}\n"
      "cluster: {use: dgx-h100, gpus: 8}\nparallelism: {tp: 2}\n";
  const auto columns = [&](std::vector<std::string> more) {
    std::vector<std::string> args{"plan", "-", "--quiet", "--format", "csv"};
    args.insert(args.end(), more.begin(), more.end());
    const std::string head = ran(args, scenario).out;
    return std::count(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(head.find('\n')), ',') + 1;
  };
  CHECK(columns({}) == 45);
  CHECK(columns({"--all-columns"}) > 300);
  CHECK(columns({"--columns", "mfu,days,usd"}) == 3);  // throughput.mfu, cost.days, cost.usd
  CHECK(
      ran({"plan", "-", "--quiet", "--format", "csv"}, scenario + "where: [tp > 2]\n").out.find("violations.0.rule") !=
      std::string::npos);
}
