// `search --why`: which rule refuses a layout, or by how much it loses; `--pick N`.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kWhySpace = TRAINPLAN_SOURCE_DIR "/scenarios/gpt3-175b-search.yaml";

Json asked_why(std::vector<std::string> words) {
  words.insert(words.begin(), {"search", kWhySpace, "--format", "json", "--quiet"});
  const Ran search = ran(words);
  REQUIRE_MESSAGE(search.status == 0, search.err);
  return Json::parse(search.out);
}

double picked_step(const std::vector<std::string>& words) {
  const Ran plan = ran(words);
  REQUIRE_MESSAGE(plan.status == 0, plan.err);
  return Json::parse(plan.out).at("step").at("seconds");
}

}  // namespace

TEST_CASE("a layout that works is held against the best: by how much it loses, and what each difference is worth") {
  const Json search = asked_why({"--why", "tp=8,pp=4", "--top", "3"});
  const Json& why = search.at("why");
  CHECK(why.at("layout") == "tp=8,pp=4");
  CHECK(why.at("feasible").get<int>() > 0);
  CHECK(why.at("feasible").get<int>() < why.at("candidates").get<int>());
  const Json& explain = why.at("explain");
  const Json best =
      asked_why({"--set", "parallelism.tp=8", "--set", "parallelism.pp=4", "--top", "1"}).at("plans").at(0);
  const double loses = explain.at("seconds"), first = search.at("plans").at(0).at("step_seconds");
  CHECK(best.at("step_seconds").get<double>() == first + loses);
  CHECK(loses > 0);
  double together = 0;
  for (const Json& d : explain.at("differences")) together += d.at("seconds").get<double>();
  CHECK(together == doctest::Approx(loses).epsilon(1e-9));
}

TEST_CASE("a layout that no choice has is asked about too, and the rule that refuses it is named") {
  const Json why = asked_why({"--why", "tp=5"}).at("why");
  CHECK(why.at("feasible") == 0);
  CHECK(!why.contains("explain"));
  CHECK(!why.at("obstacles").empty());
  const Ran page = ran({"search", kWhySpace, "--why", "tp=5", "--quiet"});
  CHECK_MESSAGE(page.out.find("have tp=5: none is feasible") != std::string::npos, page.out);
  CHECK(page.out.find("What refuses the candidates") != std::string::npos);
}

TEST_CASE("another machine is asked about in the same way") {
  const std::string run =
      "model: {use: gpt3-1.3b}\njob: {sequence: 2048, global_batch: 64, tokens: 1e9}\n"
      "cluster: {use: dgx-a100-80gb, gpus: 8}\nparallelism: {tp: [1, 2], dp: cluster.gpus / tp}\n";
  const auto asked = [&](const char* what, const char* format) {
    return ran({"search", "-", "--why", what, "--format", format, "--quiet"}, run);
  };
  const Json why = Json::parse(asked("cluster.use=dgx-h100", "json").out).at("why");
  CHECK(why.at("feasible").get<int>() == 2);
  CHECK(why.at("explain").at("seconds").get<double>() < 0);  // faster than the best of the search
}

TEST_CASE("a layout with which the scenario cannot be read is told why") {
  const std::string open =
      "model: {use: gpt3-1.3b}\njob: {sequence: 2048, global_batch: 64}\ncluster: {use: dgx-a100-80gb, gpus: 8}\n"
      "parallelism: {tp: [2, 4], dp: cluster.gpus / tp}\n";
  const Ran search = ran({"search", "-", "--why", "tp=5", "--format", "json", "--quiet"}, open);
  REQUIRE_MESSAGE(search.status == 0, search.err);
  const Json page = Json::parse(search.out);
  CHECK(page.at("why").at("reason") == "expected a whole number for parallelism.dp, got 1.6");
  CHECK(page.at("why").at("candidates") == 0);
  CHECK(ran({"search", "-", "--why", "tp=5", "--quiet"}, open).out.find("tp=5: expected a whole number") !=
        std::string::npos);
}

TEST_CASE("--why takes fields and their values") {
  for (const auto& [layout, message] : {std::pair{"tp", "--why: 'tp' sets nothing"},
                                        {"tpp=8", "--why: unknown field 'tpp'"},
                                        {"tp=8,cluster.gpu=3", "cluster.gpu"},
                                        {"tp=four", "unknown name 'four'"},
                                        {"recompute=fulll", "expected one of none, selective, full"},
                                        {"cluster.use=dgx-h1000", "no cluster named 'dgx-h1000'"},
                                        {"clusterr.use=dgx-h100", "did you mean 'cluster'?"}}) {
    const Ran search = ran({"search", kWhySpace, "--why", layout});
    CHECK_MESSAGE(search.status == 1, search.err);
    CHECK_MESSAGE(search.err.find(message) != std::string::npos, search.err);
  }
}

TEST_CASE("--pick N plans row N of the search") {
  const Json plans = asked_why({"--top", "7"}).at("plans");
  for (const size_t rank : {1, 4, 7})
    CHECK(picked_step({"plan", kWhySpace, "--pick", std::to_string(rank), "--format", "json", "--quiet"}) ==
          plans.at(rank - 1).at("step_seconds").get<double>());
  const Ran beyond = ran({"plan", kWhySpace, "--pick", "100000"});
  CHECK(beyond.status == 3);
  CHECK(beyond.err == "trainplan: --pick 100000: 602 plans are feasible\n");
  for (const char* wrong : {"0", "-1", "last", "1.5", "99999999999999999999"}) {
    const Ran plan = ran({"plan", kWhySpace, "--pick", wrong});
    CHECK(plan.status == 2);
    CHECK(plan.err.find("is not first, best or the number of a row") != std::string::npos);
  }
}
