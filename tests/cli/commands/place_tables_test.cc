// `trainplan shard` as a user sees it.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

constexpr const char* kTables =
    "rows,dim,pooling\n1000000,64,30\n50000,32,2\n200000,128,8\n3000,16,40\n700000,64,1\n9000,64,12\n";
const Words kMachine{"--on", "dgx-a100-80gb", "--ranks", "4", "--batch", "4096"};

Ran shard(const std::string& tables, const Words& machine, const Words& more = {}) {
  Words args{"shard", "-"};
  args.insert(args.end(), machine.begin(), machine.end());
  args.insert(args.end(), more.begin(), more.end());
  return ran(args, tables);
}

Json document(const Words& more = {}) {
  Words flags{"--format", "json"};
  flags.insert(flags.end(), more.begin(), more.end());
  return Json::parse(shard(kTables, kMachine, flags).out);
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("shard: a line for each sharder and each search, and the best by rank") {
  const Ran r = shard(kTables, kMachine);
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  for (const char* part :
       {"6 tables of", "on 4 x a100-sxm-80gb", "naive", "random", "size-greedy", "lookup-greedy", "norm-lookup-greedy",
        "size-lookup-greedy", "local-search", "split-search", "Best: ", "lookups by model `reuse`: extrapolated"})
    CHECK_MESSAGE(holds(r.out, part), part);
  std::istringstream lines(r.out);
  for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
}

TEST_CASE("shard: a rank's tables are named as far as the page has room, cuts with their share") {
  std::string many = "name,rows,dim,pooling\n";
  for (int i = 0; i < 60; ++i) many += "t" + std::to_string(i) + ",1000,64,1\n";
  const std::string page = shard(many, kMachine, {"--whole"}).out;
  CHECK(holds(page, " and "));
  CHECK(holds(page, " more"));
  CHECK_FALSE(holds(page, "not shown"));
  const std::string large = shard("rows,dim,pooling\n300000000,64,1\n", kMachine).out;
  CHECK((holds(large, "0:1/2-") || holds(large, "0:1/4-")));
  const std::string copied =
      shard("rows,dim,pooling\n10,128,1\n9000000,64,90\n9000000,64,90\n9000000,64,90\n9000000,64,90\n",
            {"--on", "dgx-a100-80gb", "--ranks", "4", "--batch", "65536"})
          .out;
  CHECK(holds(copied, "a copy on each rank: 0; their gradients are reduced in "));
}

TEST_CASE("shard: what the JSON says of a sharder follows from its placement") {
  const Json all = document();
  CHECK(all["ranks"] == 4);
  CHECK(all["tables"] == 6);
  const Json& naive = all["sharders"][0];
  CHECK(naive["placement"] == Json({0, 1, 2, 3, 0, 1}));
  CHECK(naive["splits"].empty());
  CHECK(naive["bytes_per_rank"] == Json({4096 * 128 * 4, 4096 * 96 * 4, 4096 * 128 * 4, 4096 * 16 * 4}));
  CHECK(naive["message_bytes"] == 4096 * 128 * 4);
  CHECK(naive["memory_bytes_per_rank"][0] == 1700000 * 64 * 4);
  double sum = 0;
  for (const Json& load : naive["load_per_rank"]) sum += load.get<double>();
  CHECK(sum == doctest::Approx(4));
  for (const Json& sharder : all["sharders"]) {
    const double parts = sharder["lookup_seconds"].get<double>() + sharder["exchange_seconds"].get<double>() +
                         sharder["reduce_seconds"].get<double>();
    CHECK(sharder["step_seconds"].get<double>() == doctest::Approx(parts));
  }
}

TEST_CASE("shard: a cut table has no rank of its own but a list of them") {
  const Json all = document();
  const Json& split = all["sharders"].back();
  REQUIRE(split["name"] == "split-search");
  REQUIRE_FALSE(split["splits"].empty());
  for (const Json& cut : split["splits"]) {
    CHECK(split["placement"][cut["table"].get<size_t>()].is_null());
    CHECK(cut["ranks"].size() > 1);
  }
  const Json whole = document({"--whole"});
  CHECK(whole["sharders"].size() == 7);
  for (const Json& sharder : whole["sharders"]) CHECK(sharder["splits"].empty());
}

TEST_CASE("shard: --seed, --precision and --memory do what they say") {
  CHECK(document({"--seed", "5"})["sharders"][1]["placement"] != document()["sharders"][1]["placement"]);
  CHECK(document({"--precision", "fp16"})["table_bytes"].get<double>() * 2 == document()["table_bytes"].get<double>());
  CHECK(document({"--memory", "0.5"})["memory_limit_bytes"].get<double>() == 0.5 * 81920 * 1024 * 1024);
}

TEST_CASE("shard: columns, sorting and CSV act on the sharders") {
  const Ran r =
      shard(kTables, kMachine,
            {"--columns", "name,step_seconds", "--sort", "step_seconds:asc", "--top", "1", "--format", "csv"});
  CHECK(r.out.starts_with("name,step_seconds"));
  CHECK(std::ranges::count(r.out, '\n') == 2);
}

TEST_CASE("shard --format svg has a bar for each rank") {
  const std::string svg = shard(kTables, kMachine, {"--format", "svg"}).out;
  for (const char* part : {"<svg", "rank 0", "rank 3", "lookup, forward", "two all-to-alls"})
    CHECK_MESSAGE(holds(svg, part), part);
}

TEST_CASE("shard --rest: hosts and other layers are part of each step, and the sharders' order stays") {
  const Words site{"--on", "a100-sxm-40gb", "--ranks", "2", "--batch", "256", "--whole"};
  const auto steps = [&](const std::string& rest) {
    Words args = site;
    if (!rest.empty()) args.insert(args.end(), {"--rest", rest});
    return Json::parse(shard(kTables, args, {"--format", "json"}).out);
  };
  const Json without = steps("");
  CHECK(without["dense_seconds"] == 0);
  for (const double rest : {0.001, 0.012}) {
    const Json with = steps(std::to_string(rest));
    CHECK(with["dense_seconds"].get<double>() == doctest::Approx(rest));
    REQUIRE(with["sharders"].size() == without["sharders"].size());
    for (size_t i = 0; i < with["sharders"].size(); ++i)
      CHECK(with["sharders"][i]["step_seconds"].get<double>() ==
            doctest::Approx(without["sharders"][i]["step_seconds"].get<double>() + rest));
  }
  CHECK(shard(kTables, {"--on", "a100-sxm-40gb", "--ranks", "2", "--batch", "256", "--rest", "-1"}).status == 2);
}

TEST_CASE("shard --scenario: the plan's other layers are part of each step") {
  const std::string tables = [] {
    std::string text = "rows,dim,pooling\n";
    for (int i = 0; i < 26; ++i) text += std::to_string(1000 << (i % 12)) + ",128,1\n";
    return text;
  }();
  const Ran r = shard(tables, {"--scenario", "scenarios/dlrm-large-a100.yaml"});
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  CHECK(holds(r.out, "of each step are other layers"));
  const Ran json = shard(tables, {"--scenario", "scenarios/dlrm-large-a100.yaml"}, {"--format", "json"});
  const Json all = Json::parse(json.out);
  CHECK(all["dense_seconds"].get<double>() > 0);
  CHECK(all["batch"] == 65536);
  for (const Json& sharder : all["sharders"])
    CHECK(sharder["step_seconds"].get<double>() > all["dense_seconds"].get<double>());
  const Ran other = shard(kTables, {"--scenario", "scenarios/dlrm-large-a100.yaml"});
  CHECK(holds(other.err, "3328 values from tables, and these tables give 368"));
}

TEST_CASE("shard: mistakes have their place and status 1") {
  struct Row {
    std::string tables;
    const char* said;
  };
  for (const Row& row :
       {Row{"rows,dim,pooling\n1000,64,x\n", "<stdin>:2:9: error: expected pooling from 0 to 1e+06, got 'x'"},
        Row{"rows,dim,pooling\n10,8,1\n3000000000,64,1\n",
            "<stdin>:3:1: error: the tables take 715.3 GiB, and 4 ranks have 256 GiB for them"}}) {
    const Ran r = shard(row.tables, kMachine);
    CHECK(r.status == 1);
    CHECK(r.out.empty());
    CHECK_MESSAGE(holds(r.err, row.said), r.err);
  }
  CHECK(holds(shard(kTables, {"--on", "nowhere", "--ranks", "4", "--batch", "8"}).err,
              "no accelerator, cluster or calibration 'nowhere'"));
}

TEST_CASE("shard: a table larger than a GPU is cut, and without cuts nothing fits: status 3") {
  const std::string large = "rows,dim,pooling\n300000000,64,1\n1000,64,1\n";
  const Ran r = shard(large, kMachine, {"--format", "json"});
  CHECK(r.status == 0);
  CHECK(holds(r.err, "it can only be cut"));
  const Json all = Json::parse(r.out);
  CHECK(all["feasible"] == true);
  CHECK(all["best"] == "split-search");
  for (const Json& sharder : all["sharders"]) CHECK(sharder["fits"] == (sharder["name"] == "split-search"));
  const Ran whole = shard(large, kMachine, {"--whole"});
  CHECK(whole.status == 3);
  CHECK(holds(whole.out, "no placement that was found fits the memory"));
}

TEST_CASE("shard: on a terminal a line says how far the search is, and is gone at the end") {
  std::string text = "rows,dim,pooling\n";
  for (int i = 0; i < 1500; ++i)
    text += std::to_string(1000 + 7919 * i % 900000) + "," + std::to_string(16 << (i % 4)) + "," +
            std::to_string(1 + i * 37 % 91) + "\n";
  for (const bool quiet : {false, true}) {
    std::istringstream in(text);
    std::ostringstream out, err;
    cli::Streams streams{.in = in, .out = out, .err = err, .terminal = true};
    Words args{"shard", "-", "--on", "dgx-a100-80gb", "--ranks", "256", "--batch", "65536"};
    if (quiet) args.push_back("--quiet");
    CHECK(cli::run(args, streams) == 0);
    CHECK(holds(err.str(), "%  best: step ") != quiet);
    CHECK((quiet ? err.str().empty() : err.str().ends_with("\r\x1b[K")));
  }
}

TEST_CASE("shard: flags that do not go together are wrong usage") {
  for (const Words& flags : {Words{}, Words{"--on", "dgx-a100-80gb", "--ranks", "4"},
                             Words{"--scenario", "scenarios/dlrm-large-a100.yaml", "--ranks", "4"},
                             Words{"--on", "dgx-a100-80gb", "--ranks", "4", "--batch", "8", "--set", "a=1"},
                             Words{"--on", "dgx-a100-80gb", "--ranks", "4", "--batch", "8", "--memory", "2"},
                             Words{"--on", "dgx-a100-80gb", "--ranks", "4", "--batch", "8", "--precision", "int4"}}) {
    const Ran r = shard(kTables, flags);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK(std::ranges::count(r.err, '\n') == 1);
  }
}
