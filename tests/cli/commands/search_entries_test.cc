// `search` and --pick best for a list in `use`: compared with separate searches of each entry.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kMachines =
    "model: {use: llama3-8b}\njob: {sequence: 8192, global_batch: 256, tokens: 1e12}\n"
    "cluster: {use: [dgx-h100, mi300x-oam], gpus: [32, 64]}\nparallelism: {tp: [1, 2, 4], pp: [1, 2, 4], microbatch: "
    "[1, 2], zero: [0, 1]}\n"
    "goal: {minimize: usd}\n";
/// A dense model and one of experts, which has choices of its own.
const std::string kModels =
    "model: {use: [llama3-8b, mixtral-8x7b]}\njob: {sequence: 4096, global_batch: 128, tokens: 1e12}\n"
    "cluster: {use: dgx-h100, gpus: 64}\nsoftware: {use: [megatron-core, torchtitan]}\ngoal: {minimize: days}\n";

Json found_of(const std::string& text, std::vector<std::string> more = {}, int status = 0) {
  more.insert(more.begin(), {"search", "-", "--format", "json"});
  const Ran r = ran(more, text);
  REQUIRE_MESSAGE(r.status == status, r.err);
  return Json::parse(r.out);
}

std::vector<double> figures_of(const Json& plans, const char* name) {
  std::vector<double> figures;
  for (const Json& plan : plans) figures.push_back(plan[name].get<double>());
  return figures;
}

/// One search of each entry, their plans one list, best first.
struct OneByOne {
  int64_t candidates = 0, evaluated = 0, feasible = 0;
  std::vector<double> goals;
};
OneByOne one_by_one(const std::string& text, const std::vector<std::vector<std::string>>& sets, const char* goal) {
  OneByOne all;
  for (std::vector<std::string> set : sets) {
    set.insert(set.end(), {"--top", "20"});
    const Json found = found_of(text, set);
    all.candidates += found["space"]["candidates"].get<int64_t>();
    all.evaluated += found["space"]["evaluated"].get<int64_t>();
    all.feasible += found["space"]["feasible"].get<int64_t>();
    std::ranges::copy(figures_of(found["plans"], goal), std::back_inserter(all.goals));
  }
  std::ranges::sort(all.goals);
  all.goals.resize(std::min<size_t>(all.goals.size(), 20));
  return all;
}

void check_alike(const std::string& text, const std::vector<std::vector<std::string>>& sets, const char* goal) {
  Json found = found_of(text, {"--top", "20"});
  const OneByOne alone = one_by_one(text, sets, goal);
  CHECK(found["space"]["candidates"] == alone.candidates);
  CHECK(found["space"]["evaluated"] == alone.evaluated);
  CHECK(found["space"]["feasible"] == alone.feasible);
  std::vector<double> goals = figures_of(found["plans"], goal);
  std::ranges::sort(goals);  // the first is the most usual of those that tie
  CHECK(goals == alone.goals);
  REQUIRE(found["space"]["entries"].size() == sets.size());
  int64_t feasible = 0;
  for (const Json& entry : found["space"]["entries"]) feasible += entry["feasible"].get<int64_t>();
  CHECK(feasible == alone.feasible);
}

}  // namespace

TEST_CASE("a search over entries is the searches of each, in one order") {
  check_alike(kMachines, {{"--set", "cluster.use=dgx-h100"}, {"--set", "cluster.use=mi300x-oam"}}, "usd");
  check_alike(kModels,
              {{"--set", "model.use=llama3-8b", "--set", "software.use=megatron-core"},
               {"--set", "model.use=llama3-8b", "--set", "software.use=torchtitan"},
               {"--set", "model.use=mixtral-8x7b", "--set", "software.use=megatron-core"},
               {"--set", "model.use=mixtral-8x7b", "--set", "software.use=torchtitan"}},
              "days");
}

TEST_CASE("entries are the first choices; what only some have is null for the others") {
  const Json found = found_of(kModels, {"--top", "300"});
  CHECK(found["plans"][0]["choices"].begin().key() == "model.use");
  bool dense = false, mixture = false;
  for (const Json& plan : found["plans"]) {
    const Json& choices = plan["choices"];
    const bool is_dense = choices["model.use"] == "llama3-8b";
    (is_dense ? dense : mixture) = true;
    CHECK(choices["parallelism.ep"].is_null() == is_dense);
  }
  CHECK(dense);
  const Ran page = ran({"search", "-"}, kMachines);
  CHECK(page.out.find("llama3-8b on h100-sxm-80gb, mi300x-192gb: ") == 0);
  CHECK((page.out.find("cluster") != std::string::npos && page.out.find("null") == std::string::npos));
}

TEST_CASE("--pick takes the entries of its row") {
  const Json found = found_of(kMachines, {"--top", "30"});
  for (const size_t row : {size_t{1}, size_t{12}, size_t{30}}) {
    const Json& plan = found["plans"][row - 1];
    const Ran r = ran({"plan", "-", "--pick", std::to_string(row), "--format", "json"}, kMachines);
    REQUIRE_MESSAGE(r.status == 0, r.err);
    CHECK(Json::parse(r.out)["step"]["seconds"] == plan["step_seconds"]);
    CHECK(Json::parse(r.out)["cost"]["usd"] == plan["usd"]);
  }
  const Ran none = ran({"plan", "-", "--pick", "best", "--quiet"}, kMachines + "software: {use: none-such}\n");
  CHECK(none.status == 1);
  CHECK(ran({"plan", "-", "--pick", "1000000"}, kMachines).err.find("plans are feasible") != std::string::npos);
  // Nothing is feasible: the nearest miss of all entries shows why, on the machine with the most memory.
  const Ran over =
      ran({"plan", "-", "--pick", "best", "--set", "cluster.gpus=8", "--set", "model.use=llama3-70b"}, kMachines);
  CHECK(over.status == 3);
  CHECK_MESSAGE(over.out.find("8 x mi300x-192gb") != std::string::npos, over.out.substr(0, 200));
}

TEST_CASE("what is asked about the best plan knows its entries") {
  const Json found =
      found_of(kMachines, {"--explain", "1", "--sensitivity", "--set", "assert=mfu > 0.9 and gpus > 1000"}, 5);
  CHECK(found["explain"]["rank"] == 1);
  CHECK(found["assertions"][0]["holds"] == false);
  CHECK_FALSE(found["sensitivity"].empty());
  const Ran html = ran({"search", "-", "--format", "html"}, kMachines);
  CHECK(html.status == 0);
  CHECK(html.out.find("mi300x-oam") != std::string::npos);
  CHECK(ran({"search", "-", "--format", "svg"}, kMachines).out.starts_with("<svg"));
}

TEST_CASE("entries without a plan say why, and obstacles name the entry") {
  const Ran unpriced = ran({"search", "-", "--set", "cluster.use=[dgx-h100, hgx-h20]"}, kMachines);
  CHECK(unpriced.status == 0);
  CHECK(unpriced.out.find("hgx-h20: hgx-h20 has no price: give one by --prices") != std::string::npos);
  const Ran none = ran({"search", "-", "--set", "goal.deadline=1 h"}, kMachines);
  CHECK(none.status == 3);
  CHECK(none.out.find("mi300x-oam: nothing is feasible: ") != std::string::npos);
  CHECK(none.out.find("Nearest miss: cluster ") != std::string::npos);
  CHECK(none.out.find("mi300x-oam: the run takes longer than the") != std::string::npos);
}

TEST_CASE("--pick refuses what a search over entries refuses, and says how many candidates there were") {
  const Ran scaling = ran({"plan", "-", "--pick", "best", "--set", "goal.minimize=1 / scaling_efficiency"}, kMachines);
  CHECK(scaling.status == 1);
  CHECK(scaling.err.find("compares with the fewest GPUs of one machine") != std::string::npos);
  const Ran lengths =
      ran({"plan", "-", "--pick", "best", "--set", "job.sequence={points: [1024, 8192], weights: [3, 2]}"}, kMachines);
  CHECK(lengths.status == 1);
  const Ran none = ran({"plan", "-", "--pick", "best", "--set", "goal.deadline=1 s"}, kMachines);
  CHECK(none.status == 3);
  CHECK(none.err.find("candidates of 2 entries is feasible") != std::string::npos);
}

TEST_CASE("an entry without a price does not hide what is near in the others") {
  const std::vector<std::string> strict{"--set", "cluster.use=[dgx-h100, hgx-h20]", "--set", "where=[mfu > 0.9]"};
  const Json both = found_of(kMachines, strict, 3);
  const Json alone = found_of(kMachines, {"--set", "where=[mfu > 0.9]", "--set", "cluster.use=dgx-h100"}, 3);
  CHECK(both["nearest"]["excess"].get<double>() <= alone["nearest"]["excess"].get<double>());
  CHECK(both["nearest"]["choices"].contains("cluster.use"));
}

TEST_CASE("what a search over entries refuses") {
  const struct {
    std::vector<std::string> flags;
    const char* told;
  } rows[] = {
      {{"--why", "tp=8"}, "<stdin>:3:17: error: --why is for one entry, and here is a list of them"},
      {{"--verify", "3"}, "error: --verify is for one entry"},
      {{"--shard", "1/2"}, "hint: --set cluster.use=dgx-h100 takes one of them"},
      {{"--set", "cluster.use=[dgx-h100, dgx-b200, dgx-h100]"},
       "error: 'dgx-h100' is twice in the list of cluster.use"},
      {{"--set", "cluster.use=[]"}, "error: the list of cluster.use is empty"},
      {{"--set", "cluster.use=[dgx-h100, dgx-h1000]"}, "--set:1:24: error: "},
      {{"--set", "goal.minimize=1 / scaling_efficiency"}, "compares with the fewest GPUs of one machine"},
      {{"--set", "job.sequence={points: [1024, 8192], weights: [3, 2]}"},
       "a search over a list of entries takes one sequence length"},
      {{"--limit", "10"}, "combinations, and the limit is 10"},
  };
  for (const auto& row : rows) {
    std::vector<std::string> args = row.flags;
    args.insert(args.begin(), {"search", "-"});
    const Ran r = ran(args, kMachines);
    CAPTURE(r.err);
    CHECK(r.status == 1);
    CHECK(r.err.find(row.told) != std::string::npos);
  }
  // Each mistake once, however many entries are read.
  const Ran twice = ran({"search", "-", "--set", "job.global_batch=0"}, kMachines);
  CHECK(twice.err.find("error:") == twice.err.rfind("error:"));
}

TEST_CASE("numbers of GPUs that no layout divides are offered with another batch, by search and clusters") {
  const std::string kLarge = "cluster.use=[dgx-b200, mi300x-oam]";  // whose memory is no question
  const std::string machines = kMachines + "software: {use: megatron-core}\n";
  const Json found = found_of(machines, {"--set", "cluster.gpus=[32, 37]", "--set", kLarge, "--other-batches"});
  REQUIRE(found["other_batches"].size() == 2);
  CHECK(found["other_batches_untried"] == 0);
  CHECK(found["other_batches"][0]["entries"] == "dgx-b200");
  CHECK(found["other_batches"][1]["entries"] == "mi300x-oam");
  for (const Json& other : found["other_batches"]) {
    CHECK(other["gpus"] == 37);
    // The plan that is promised is the one that the sets give.
    const std::string entry = other["entries"];
    const Json plan = found_of(machines, {"--set", "cluster.use=" + entry, "--set", "cluster.gpus=37", "--set",
                                          "job.global_batch=" + other["global_batch"].dump()});
    CHECK(plan["plans"][0]["usd"] == other["usd"]);
    CHECK_FALSE(plan.contains("other_batches"));
  }
  const Ran page = ran({"search", "-", "--set", "model.use=llama3-8b", "--set", "software.use=megatron-core", "--set",
                        "cluster.gpus=37"},
                       kModels);
  CHECK(page.status == 3);
  CHECK(page.out.find("37 GPUs: no layout divides the batch; with batch 1") != std::string::npos);
  const std::vector<std::string> primes{"search", "-",
                                        "--set",  "model.use=llama3-8b",
                                        "--set",  "software.use=megatron-core",
                                        "--set",  "cluster.gpus=[37, 41, 43, 47, 53, 59, 61, 67, 71, 73]"};
  CHECK(ran(primes, kModels).out.find("10 of the numbers of GPUs have no plan: --other-batches tries other batches") !=
        std::string::npos);
  std::vector<std::string> asked = primes;
  asked.emplace_back("--other-batches");
  const Ran many = ran(asked, kModels);
  CHECK(many.out.find("2 more numbers of GPUs without a plan were not tried") != std::string::npos);
  const Ran clusters =
      ran({"clusters", "-", "--format", "json", "--set", "cluster.gpus=[32, 37]", "--set", kLarge}, machines);
  const Json rows = Json::parse(clusters.out);
  REQUIRE(rows["other_batches"].size() == 2);
  CHECK(rows["other_batches"][1]["entries"] == "mi300x-oam");
  CHECK(rows["rows"][1]["feasible"] == false);
}

TEST_CASE("rows of a search and of a sweep carry the share of assumed figures that a plan of theirs has") {
  const std::vector<std::string> b300{"--set", "cluster.use=dgx-b300", "--set", "cluster.gpus=32"};
  const Json best = found_of(kMachines, b300)["plans"][0];
  const double share = best["assumed_share"];
  CHECK(share > 0.05);
  std::vector<std::string> picked{"plan", "-", "--format", "json", "--pick", "best"};
  picked.insert(picked.end(), b300.begin(), b300.end());
  const Json plan = Json::parse(ran(picked, kMachines).out);
  CHECK(plan["provenance"]["assumed"].get<double>() == doctest::Approx(share).epsilon(1e-9));
  std::vector<std::string> swept{"sweep", "-", "--format", "ndjson"};
  swept.insert(swept.end(), b300.begin(), b300.end());
  std::istringstream lines(ran(swept, kMachines).out);
  bool found = false;
  for (std::string line; std::getline(lines, line);)
    if (const Json row = Json::parse(line); row["choices"] == best["choices"]) {
      found = true;
      CHECK(row["assumed_share"] == share);
    }
  CHECK(found);
  const Ran page = ran({"search", "-", "--columns", "rank,assumed_share", "--top", "1"}, kMachines);
  CHECK(page.out.find("assumed") != std::string::npos);
}
