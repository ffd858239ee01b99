// `plan --vary`: what changes make of days and dollars.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kPriced =
    "model: {use: gpt3-1.3b}\njob: {sequence: 2048, global_batch: 64, tokens: 1e10}\n"
    "cluster: {use: dgx-a100-80gb, gpus: 8, price: 2 USD/h}\nparallelism: {tp: [2, 1], dp: cluster.gpus / tp}\n";

Ran varied(const char* changes, const char* format = "json") {
  return ran({"plan", "-", "--pick", "best", "--vary", changes, "--format", format, "--quiet"}, kPriced);
}

}  // namespace

TEST_CASE("--vary: each change alone, and all together") {
  const Ran r = varied("price=0.5,tokens=2,failures=3");
  REQUIRE_MESSAGE(r.status == 0, r.err);
  const Json rows = Json::parse(r.out).at("varied");
  REQUIRE(rows.size() == 5);
  const auto figure = [&](size_t row, const char* name) { return rows[row].at(name).get<double>(); };
  CHECK(rows[0].at("change") == "none");
  CHECK(figure(0, "usd_more") == 0);
  CHECK(figure(1, "usd") == doctest::Approx(figure(0, "usd") / 2));
  CHECK(figure(1, "days") == figure(0, "days"));
  CHECK(figure(2, "days") == doctest::Approx(2 * figure(0, "days")).epsilon(0.01));
  CHECK(figure(3, "days") > figure(0, "days"));
  CHECK(figure(3, "step_seconds") == figure(0, "step_seconds"));
  CHECK(figure(4, "usd") == doctest::Approx(figure(0, "usd")).epsilon(0.02));
  CHECK(figure(4, "days") > figure(2, "days"));
  CHECK(varied("price=0.5", "table").out.find("What if") != std::string::npos);
}

TEST_CASE("--vary: a percentage is a factor") {
  CHECK(Json::parse(varied("price=80%").out).at("varied")[1].at("usd") ==
        Json::parse(varied("price=0.8").out).at("varied")[1].at("usd"));
}

TEST_CASE("--vary: a figure with its unit is a value") {
  const Ran r = varied("failures=2%/week,price=1 USD/h");
  REQUIRE_MESSAGE(r.status == 0, r.err);
  const Json rows = Json::parse(r.out).at("varied");
  REQUIRE(rows.size() == 4);
  CHECK(rows[2].at("usd").get<double>() == doctest::Approx(rows[0].at("usd").get<double>() / 2));
  const auto days = [&](size_t row) { return rows[row].at("days").get<double>(); };
  CHECK(days(1) < days(0));  // a node of eight in 50 weeks; the catalogue's one in 22
}

TEST_CASE("cluster.node_failures: a share of the nodes that fail per time") {
  const auto plan = [](std::vector<std::string> sets) {
    std::vector<std::string> words{"plan", "-", "--pick", "best", "--format", "json", "--quiet"};
    for (const std::string& set : sets) words.insert(words.end(), {"--set", set});
    return ran(words, kPriced);
  };
  const auto failures = [&](std::vector<std::string> sets) {
    return Json::parse(plan(std::move(sets)).out).at("cost").at("expected_failures").get<double>();
  };
  // 8 GPUs of one node: 2 % of a node a week is one failure of a GPU in 50 weeks * 8.
  CHECK(failures({"cluster.node_failures=2 %/week"}) == doctest::Approx(failures({"cluster.mtbf=67200 h"})));
  CHECK(plan({"cluster.node_failures=2 %/week"}).out.find("\"2 %/week\"") != std::string::npos);
  CHECK(plan({"cluster.node_failures=2 %/week", "cluster.mtbf=1000 h"}).err.find("not both") != std::string::npos);
  const Json twice = Json::parse(ran({"plan", "-", "--pick", "best", "--set", "cluster.node_failures=2 %/week",
                                      "--vary", "failures=2", "--format", "json", "--quiet"},
                                     kPriced)
                                     .out);
  CHECK(twice.at("varied")[1].at("days").get<double>() > twice.at("varied")[0].at("days").get<double>());
}

TEST_CASE("--vary: a change is a name and a factor") {
  CHECK(Json::parse(varied("cluster.gpu.memory_bandwidth=2").out).at("varied").size() == 2);
  CHECK(varied("price").err.find("--vary: 'price' is not a change") != std::string::npos);
  CHECK(varied("price=-1").status == 1);
  CHECK(varied("tokens=1e12").err.find("--set job.tokens=... gives a number") != std::string::npos);
  CHECK(varied("tok=2").err.find("--vary: 'tok' does not name a field") != std::string::npos);
  CHECK(varied("cluster.gpu.nothing=2").err.find("unknown field 'cluster.gpu.nothing'") != std::string::npos);
}

TEST_CASE("cluster.node_failures can be a choice: more failures never end a run earlier") {
  const Ran r = ran({"sweep", "-", "--format", "csv", "--columns", "choices,days", "--quiet", "--set",
                     "cluster.node_failures=[1 %/week, 5 %/week, 50 %/week]", "--set", "parallelism.tp=2"},
                    kPriced);
  REQUIRE_MESSAGE(r.status == 0, r.err);
  std::istringstream lines(r.out);
  std::string line;
  std::getline(lines, line);
  std::vector<double> days;
  while (std::getline(lines, line)) days.push_back(std::stod(line.substr(line.rfind(',') + 1)));
  REQUIRE(days.size() == 3);
  CHECK(days[0] < days[1]);
  CHECK(days[1] < days[2]);
}
