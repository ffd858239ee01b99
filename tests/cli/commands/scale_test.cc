// What `scale` prints, and what it says of mistakes.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

namespace {

using Json = nlohmann::json;

constexpr const char* kData = R"(PARAMETER p
POINTS 4 8 16 32 64
REGION main
METRIC time
DATA 10.2 10.3
DATA 18.1 18.2
DATA 34.3 34.1
DATA 66.2 66.0
DATA 130.1 130.4
REGION main->send
METRIC time
DATA 2
DATA 3
DATA 4
DATA 5
DATA 6
METRIC bytes
DATA 16
DATA 64
DATA 256
DATA 1024
DATA 4096
)";

constexpr const char* kGiven = R"(parameters: ranks
points: [2, 4, 6, 10, 12]
models:
  - {callpath: epoch, metric: time, model: 158.58 + 0.58 * ranks^(2/3) * log2(ranks)^2}
  - {callpath: epoch, metric: cost, model: 0.082 * ranks^1.62}
  - {callpath: communication, metric: time, model: 30.00 + 3.56 * ranks^(2/3) * 0.78 * log2(ranks)}
)";

Ran scale(std::vector<std::string> flags, const char* data = kData) {
  flags.insert(flags.begin(), {"scale", "-"});
  return ran(flags, data, 120);
}
Json json_of(std::vector<std::string> flags, const char* data = kData) {
  flags.insert(flags.end(), {"--format", "json"});
  return Json::parse(scale(flags, data).out);
}
bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Json subject(const Json& j, const std::string& callpath) {
  for (const Json& s : j["analysis"]["subjects"])
    if (s["callpath"] == callpath) return s;
  return {};
}

}  // namespace

TEST_CASE("models have their terms by parameter, in the contract's names") {
  const Json j = json_of({});
  CHECK(j["format"] == "trainplan.scale/1");
  REQUIRE(j["models"].size() == 3);
  const Json& bytes = j["models"][2];
  CHECK(bytes["callpath"] == "main->send");
  CHECK(bytes["metric"] == "bytes");
  REQUIRE(bytes["terms"].size() == 1);
  CHECK(bytes["terms"][0]["factors"]["p"]["exponent"] == 2);
  CHECK(bytes["terms"][0]["factors"]["p"]["log2_exponent"] == 0);
  CHECK(bytes["terms"][0]["coefficient"].get<double>() == doctest::Approx(1));
  CHECK(bytes["smape"].get<double>() < 1e-6);
  CHECK(j["analysis"]["subjects"].size() == 2);  // of times
  CHECK(j["analysis"]["ranking"][0]["callpath"] == "main");
}

TEST_CASE("the page has a line for each model and a table for each time") {
  const Ran r = scale({});
  CHECK(r.status == 0);
  for (const char* part : {"standard input: 3 models of p", "SMAPE", "O(p^(2))", "main, time, weak scaling from p = 4",
                           "most cost-effective, weak scaling: p = 4", "eq. 13"}) {
    CAPTURE(std::string(part));
    CHECK(holds(r.out, part));
  }
  CHECK(!has_nan(r.out));
  CHECK(holds(scale({"--format", "csv"}).out, "callpath,metric,formula,smape,growth"));
}

TEST_CASE("Extra-Deep's case study: its questions, a command each") {
  const auto at = [](const std::string& x, const char* callpath, const char* what) {
    return subject(json_of({"--at", x}, kGiven), callpath)["points"][0][what].get<double>();
  };
  CHECK(at("40", "epoch", "seconds") == doctest::Approx(350.71).epsilon(2e-5));                       // Q1
  CHECK(at("64", "epoch", "parallel_efficiency") == doctest::Approx(159.50 / 492.66).epsilon(1e-4));  // Q2
  CHECK(at("2", "communication", "seconds") == doctest::Approx(34.41).epsilon(1e-4));                 // Q3
  CHECK(at("64", "communication", "seconds") == doctest::Approx(296.57).epsilon(1e-4));
  CHECK(at("32", "epoch", "cost") == doctest::Approx(22.50).epsilon(1e-4));         // Q4
  const Json best = subject(json_of({"--budget", "10"}, kGiven), "epoch")["best"];  // Q5
  CHECK(best["x"] == 2);
  CHECK(best["valid"][0][0] == 2);
  CHECK(best["valid"][0][1] == 19);  // 0.082 * 19^1.62 = 9.67
}

TEST_CASE("what scale printed is models that it reads") {
  const Ran first = scale({"--format", "json"});
  const Json again = json_of({"--at", "128"}, first.out.c_str());
  REQUIRE(again["models"].size() == 3);
  CHECK(again["models"][0]["formula"] == Json::parse(first.out)["models"][0]["formula"]);
  CHECK(subject(again, "main")["points"][0]["seconds"].get<double>() == doctest::Approx(258.1).epsilon(0.01));
}

TEST_CASE("two models of a changing law are read again as two") {
  constexpr const char* kBend =
      "p,time\n2,4\n4,16\n8,64\n16,256\n32,1000\n64,1030\n128,1060\n256,1090\n512,1120\n1024,1150\n";
  const Ran first = scale({"--modeler", "segmented", "--format", "json"}, kBend);
  const Json j = Json::parse(first.out);
  REQUIRE(j["models"][0]["segments"].is_object());
  const auto at = [](const Json& of, size_t i) {
    return of["analysis"]["subjects"][0]["points"][i]["seconds"].get<double>();
  };
  const Json again = json_of({"--at", "8,512"}, first.out.c_str());
  CHECK(at(again, 0) == doctest::Approx(at(j, 2)));
  CHECK(at(again, 1) == doctest::Approx(at(j, 8)));
}

TEST_CASE("held points, call paths and metrics are picked by flags") {
  const Json held = json_of({"--callpath", "main", "--evaluate-from", "64"});
  REQUIRE(held["models"].size() == 1);
  REQUIRE(held["models"][0]["evaluated"].size() == 1);
  CHECK(std::abs(held["models"][0]["evaluated"][0]["error"].get<double>()) < 0.02);
  CHECK(held["models"][0]["warnings"].size() == 1);  // four points
  CHECK(json_of({"--metric", "bytes"})["models"].size() == 1);
  CHECK(json_of({"--metric", "bytes"})["analysis"]["subjects"].size() == 1);  // asked for by name
  const Ran none = scale({"--callpath", "mian"});
  CHECK(none.status == 1);
  CHECK(holds(none.err, "no series has this call path and metric"));
}

TEST_CASE("limits that nothing meets are status 3") {
  CHECK(scale({"--time-limit", "5 s", "--callpath", "main"}).status == 3);
  CHECK(holds(scale({"--time-limit", "5 s", "--callpath", "main"}).out, "no p meets the budget and the time limit"));
  CHECK(scale({"--time-limit", "1 min", "--price", "3 USD * gpu_hours", "--budget", "10 USD"}).status == 0);
}

TEST_CASE("mistakes in flags are told with their flag") {
  const auto told = [](std::vector<std::string> flags) {
    const Ran r = scale(std::move(flags));
    CHECK(r.status == 1);
    return r.err;
  };
  CHECK(holds(told({"--time-limit", "40"}),
              "--time-limit: expected something above zero such as '40 s', got a plain number"));
  CHECK(holds(told({"--budget", "-2"}), "--budget: expected something above zero such as 2.8, got -2"));
  CHECK(holds(told({"--price", "core_hrs"}), "unknown name 'core_hrs'"));
  CHECK(holds(told({"--price", "2 GB"}), "--price: expected a plain number or money, got bytes"));
  CHECK(holds(told({"--epoch", "train=5"}), "--epoch: expected KEY=EXPR, got 'train=5'"));
  CHECK(holds(told({"--epoch", "training=5"}), "--epoch needs batch=EXPR"));
  CHECK(holds(told({"--at", "0"}), "--at: expected values above zero, got 0"));
  CHECK(scale({"--modeler", "spline"}).status == 2);
}

TEST_CASE("epochs multiply the steps") {
  const Json j =
      json_of({"--callpath", "main", "--epoch", "training=1000 * p", "--epoch", "batch=10", "--epoch", "ranks=p"});
  CHECK(subject(j, "main")["points"][0]["seconds"].get<double>() == doctest::Approx(100 * 10.25).epsilon(0.01));
}

TEST_CASE("--against plans the scenario at each value of the parameter") {
  constexpr const char* kSteps = "ranks,step_time_s\n8,41.2\n16,20.9\n32,10.8\n64,5.75\n128,3.3\n";
  const std::string scenario = TRAINPLAN_SOURCE_DIR "/scenarios/gpt3-175b.yaml";
  const std::vector<std::string> flags{
      "--against", scenario,
      "--set",     "model={use: gpt3-13b}",
      "--set",     "parallelism={tp: 4, pp: 2, dp: cluster.gpus / 8, microbatch: 2, zero: 1}"};
  const Json j = json_of(flags, kSteps);
  REQUIRE(j["against"].size() == 5);
  double before = 1e9;
  for (const Json& row : j["against"]) {
    CHECK(row["measured_seconds"].is_number());
    CHECK(row["low_seconds"].get<double>() < row["analytical_seconds"].get<double>());
    CHECK(row["analytical_seconds"].get<double>() < before);
    before = row["analytical_seconds"].get<double>();
  }
  CHECK(holds(scale(flags, kSteps).out, "Beside the planner"));
  CHECK(holds(scale({"--against", scenario}).err, "--against compares one model of a time over one parameter"));
  CHECK(holds(scale({"--against", scenario, "--vary", "cluster.gpsu"}, kSteps).err, "unknown field"));
}

TEST_CASE("--plan says what to measure next") {
  constexpr const char* kThree = "p,time\n2,4\n4,8\n8,16\n";
  const Json j = json_of({"--plan"}, kThree);
  REQUIRE(j["advice"].size() == 2);
  CHECK(j["advice"][0]["point"][0] == 16);
  CHECK(j["advice"][0]["predicted"].get<double>() == doctest::Approx(32));
  CHECK(holds(scale({"--plan"}, kThree).out, "p has 3 of the 5 values that a model wants"));
  CHECK(holds(scale({"--plan"}).out, "the points are enough"));
}
