// --prices: a file of the user's prices, in every command that reads a scenario; contracts of the catalogue; messages
// for a missing price.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kAdvice = "give one by --prices FILE or --set 'cluster.price=2 USD/h'";
const std::string kUnused = "warning: no entry of the price list is taken";

std::string question(const std::string& cluster, const std::string& more = "") {
  return "model: {use: llama3-8b}\njob: {sequence: 4096, global_batch: 64, tokens: 1e9}\ncluster: {use: " + cluster +
         "}\nparallelism: {tp: [2, 4]}\n" + more;
}

const char* const kList =
    "dgx-h100: {price: 2.10 USD/h, contract: reserved 3 years, date: 2026-10, region: eu-west, source: our contract}\n"
    "hgx-h20: {price: 1 USD/h}\n";

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("a plan prints the price of the file with its terms, and where it comes from") {
  const TestFolder folder;
  const std::string list = folder.add("ours.yaml", kList);
  const Ran plan =
      ran({"plan", "-", "--quiet", "--prices", list, "--set", "parallelism.tp=4"}, question("dgx-h100, gpus: 16"), 160);
  CHECK(plan.status == 0);
  CHECK(plan.err == "");
  CHECK(holds(plan.out, "2.10 USD per GPU hour (reserved 3 years, eu-west, 2026-10)"));
  const Json json = Json::parse(ran({"plan", "-", "--prices", list, "--set", "parallelism.tp=4", "--format", "json"},
                                    question("dgx-h100, gpus: 16"))
                                    .out);
  CHECK(json["cost"]["usd_per_gpu_hour"].get<double>() == doctest::Approx(2.1));
  CHECK(json["scenario"]["cluster"]["price_terms"]["contract"] == "reserved 3 years");
  // The output is a scenario that contains the price itself.
  const Ran again = ran({"plan", "-", "--format", "json"}, resolved_scenario(json.dump()));
  CHECK(Json::parse(again.out)["cost"]["usd"] == json["cost"]["usd"]);
}

TEST_CASE("every command that reads a scenario takes the file") {
  const TestFolder folder;
  const std::string list = folder.add("ours.yaml", kList), text = question("dgx-h100, gpus: 16");
  const std::string file = folder.add("ask.yaml", text);
  const auto rate = [&](std::vector<std::string> words, auto&& find) {
    words.insert(words.end(), {"--format", "json", "--quiet"});
    const double listless = find(Json::parse(ran(words).out)).template get<double>();
    words.insert(words.end(), {"--prices", list});
    return find(Json::parse(ran(words).out)).template get<double>() / listless;
  };
  const double lower = 2.10 / 2.99;
  CHECK(rate({"search", file}, [](const Json& j) { return j["plans"][0]["usd"]; }) == doctest::Approx(lower));
  CHECK(rate({"sweep", file}, [](const Json& j) { return j["rows"][0]["usd"]; }) == doctest::Approx(lower));
  CHECK(rate({"clusters", file}, [](const Json& j) { return j["rows"][0]["usd"]; }) == doctest::Approx(lower));
  CHECK(rate({"plan", file, "--pick", "best"}, [](const Json& j) { return j["cost"]["usd"]; }) ==
        doctest::Approx(lower));
  CHECK(rate({"roadmap", file, "--set", "roadmap=[{name: a, set: {cluster.gpus: 32}}]"},
             [](const Json& j) { return j["cells"][0]["usd_per_1e12_tokens"]; }) == doctest::Approx(lower));
}

TEST_CASE("mistakes of the file have their place in it") {
  const TestFolder folder;
  struct Row {
    const char *text, *told;
  };
  for (const Row& row :
       {Row{"dgx-h10: {price: 1 USD/h}\n", "bad.yaml:1:1: error: no cluster of the catalogue is called"},
        Row{"dgx-h100: {price: 1 USD/h}\np5: {cost: 1 USD/h}\n", "bad.yaml:2:6: error: unknown field"},
        Row{"p5: {price: 1 USD}\n", "bad.yaml:1:13: error: expected money per time"},
        Row{"p5: {price: 1 USD/h}\np5: {price: 2 USD/h}\n", "bad.yaml:2:1: error: "},
        Row{"[p5, p4d]\n", "bad.yaml' is not a map of fields"}}) {
    const Ran plan = ran({"plan", "-", "--prices", folder.add("bad.yaml", row.text)}, kSmallJob);
    CHECK(plan.status == 1);
    CHECK_MESSAGE(holds(plan.err, row.told), plan.err);
  }
  const Ran missing = ran({"plan", "-", "--prices", "no-such.yaml"}, kSmallJob);
  CHECK(missing.status == 1);
  CHECK(holds(missing.err, "--prices:1:1: error: no file 'no-such.yaml'"));
}

TEST_CASE("a file of which nothing applies is a warning, of several machines only where none has an entry") {
  const TestFolder folder;
  const std::string list = folder.add("ours.yaml", kList);
  const Ran plan = ran({"plan", "-", "--prices", list}, kSmallJob);
  CHECK(plan.status == 0);
  CHECK(count(plan.err, kUnused) == 1);
  const std::vector<std::string> words{"clusters", "-", "--prices", list, "--on"};
  const auto told = [&](const char* machines) {
    std::vector<std::string> all = words;
    all.emplace_back(machines);
    return count(ran(all, question("dgx-h100, gpus: [16, 32]")).err, kUnused);
  };
  CHECK(told("dgx-h100,dgx-b200") == 0);
  CHECK(told("dgx-b200,p5") == 1);
}

TEST_CASE("a contract of the catalogue is printed, and a choice of contracts searched") {
  const Ran plan = ran({"plan", "-", "--set", "parallelism.tp=4", "--set", "cluster.price_terms.contract=reserved"},
                       question("p5, gpus: 16"), 160);
  CHECK(holds(plan.out, "4.92 USD per GPU hour (reserved, us-east-1, 2024)"));
  const std::vector<std::string> both{"--set", "cluster.price_terms.contract=[on-demand, reserved]", "--format",
                                      "json"};
  for (const char* command : {"search", "clusters"}) {
    std::vector<std::string> words{command, "-"};
    words.insert(words.end(), both.begin(), both.end());
    const Ran found = ran(words, question("p5, gpus: 16", "goal: {minimize: usd}\n"));
    CHECK(found.status == 0);
    const Json json = Json::parse(found.out);
    const Json& best = json.contains("plans") ? json["plans"][0] : json["rows"][0];
    CHECK_MESSAGE(holds(best["choices"].dump(), "reserved"), best["choices"].dump());
  }
  const Ran shown = ran({"show", "p5"}, "", 200);
  CHECK(holds(shown.out, "prices.reserved.price"));
  CHECK(holds(ran({"show", "p5e"}, "", 200).out, "5.41 USD/h"));
  CHECK_FALSE(holds(ran({"show", "p5e"}, "", 200).out, "prices.reserved"));
}

TEST_CASE("a machine without a price is told, and what gives it one") {
  for (const char* goal : {"goal: {minimize: usd}\n", "goal: {budget: 1e6 USD}\n"}) {
    const Ran search = ran({"search", "-"}, question("hgx-h20, gpus: 32", goal), 200);
    CHECK(search.status == 3);
    CHECK(holds(search.out, std::string("hgx-h20 has no price: ") + kAdvice));
    CHECK_FALSE(holds(search.out, "nothing is feasible"));
    const Ran clusters = ran({"clusters", "-"}, question("hgx-h20, gpus: 32", goal), 200);
    CHECK(holds(clusters.out, std::string("no price is known of hgx-h20: ") + kAdvice));
  }
  const Ran plan = ran({"plan", "-", "--set", "parallelism.tp=4", "--set", "goal={budget: 1e6 USD}"},
                       question("hgx-h20, gpus: 32"), 200);
  CHECK(holds(plan.out, std::string("hgx-h20 has no price: ") + kAdvice));
  // A plan that is infeasible for another reason does not blame the price.
  CHECK(holds(ran({"search", "-", "--set", "parallelism.tp=[3]"}, question("hgx-h20, gpus: 32"), 200).out,
              "nothing is feasible"));
  const TestFolder folder;
  const std::string list = folder.add("ours.yaml", kList);
  CHECK(ran({"search", "-", "--prices", list}, question("hgx-h20, gpus: 32", "goal: {minimize: usd}\n")).status == 0);
}
