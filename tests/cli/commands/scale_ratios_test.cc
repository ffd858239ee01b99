// What `scale` prints of speed-up and efficiency fitted to the points' own.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

namespace {

using Json = nlohmann::json;

constexpr const char* kStrong = "p,time\n2,142\n4,78.5\n8,46.2\n16,31\n32,23\n";
constexpr const char* kWeak = "p,time\n2,110\n4,121\n8,139\n16,182\n32,259\n";

Ran scale(std::vector<std::string> flags, const char* data) {
  flags.insert(flags.begin(), {"scale", "-"});
  return ran(flags, data, 140);
}

Json ratios(std::vector<std::string> flags, const char* data) {
  flags.insert(flags.end(), {"--format", "json"});
  const Ran r = scale(flags, data);
  INFO(r.err);
  CHECK_FALSE(has_nan(r.out));
  return Json::parse(r.out)["analysis"]["subjects"][0]["ratios"];
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("scaling: the page shows the fitted ratios beside what follows from the time") {
  const Ran r = scale({"--at", "4,64"}, kStrong);
  CHECK(r.status == 0);
  for (const char* part : {"Speed-up and efficiency fitted to the points", "off its points", "off the time's",
                           "Fitted, beside what follows from the time", "by the fitted efficiency, eq. 13: p = 2",
                           "by the fitted efficiency: p = "}) {
    CAPTURE(std::string(part));
    CHECK(holds(r.out, part));
  }
  CHECK(!holds(scale({}, kWeak).out, "by the fitted efficiency"));  // weak scaling takes the fewest ranks
}

TEST_CASE("scaling: ratios in JSON have their formula, quality, values and choice") {
  const Json j = ratios({"--at", "4,64"}, kStrong);
  CHECK(j["points_from"] == "measurements");
  REQUIRE(j["models"].size() == 3);
  const Json& speedup = j["models"][0];
  CHECK(speedup["of"] == "speedup_percent");
  CHECK(speedup["terms"].size() == 1);
  CHECK(speedup["ar2"].get<double>() > 0.99);
  CHECK(speedup["off_points"].get<double>() < 2);  // per cent of the base's time
  CHECK(speedup["points"][0]["own"].get<double>() == doctest::Approx(100 * (142 - 78.5) / 142));
  CHECK(speedup["points"][1]["own"].is_null());
  CHECK(speedup["best"].is_null());
  const Json& usual = j["models"][2];
  CHECK(usual["of"] == "parallel_efficiency");
  CHECK(usual["best"]["x"].get<double>() >= 2);
  CHECK(usual["best"]["seconds"].get<double>() > 0);
}

TEST_CASE("scaling: the choice by the time stays what it was, the fitted one stands beside it") {
  const std::vector<std::string> flags{"--time-limit", "40 s"};
  const Json j = ratios(flags, kStrong);
  const Ran r = scale(flags, kStrong);
  CHECK(holds(r.out, "most cost-effective, strong scaling: p = "));
  CHECK(j["models"][1]["best"]["x"].get<double>() >= 10);  // 40 s are met from there on
}

TEST_CASE("scaling: ratios without points or a base say so in a sentence") {
  CHECK(
      holds(scale({}, "p,time\n2,0\n4,1\n8,2\n16,3\n32,4\n").out, "the time at p = 2 is 0, and both are ratios to it"));
  constexpr const char* kGiven =
      "parameters: p\npoints: [2, 4]\nmodels:\n  - {callpath: a, metric: time, model: 3 + p}\n";
  const Json j = ratios({}, kGiven);
  CHECK(j["points_from"] == "model");
  CHECK(j["models"].empty());
  CHECK(j["why"][0] == "no models of speed-up and efficiency: 2 points of p, and a model needs 3");
}

TEST_CASE("scaling: ratios of many models are fitted where they are asked for") {
  std::string many = "PARAMETER p\nPOINTS (2) (4) (8) (16) (32)\n";
  for (int path = 0; path < 4; ++path)
    many += "REGION f" + std::to_string(path) + "\nMETRIC time\nDATA 142\nDATA 78.5\nDATA 46.2\nDATA 31\nDATA 23\n";
  const auto subjects = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--format", "json"});
    return Json::parse(scale(flags, many.c_str()).out)["analysis"]["subjects"];
  };
  const std::string page = scale({}, many.c_str()).out, asked = scale({"--ratios"}, many.c_str()).out;
  CHECK_FALSE(holds(page, "fitted to the points"));
  for (const Json& subject : subjects({})) CHECK_FALSE(subject.contains("ratios"));
  for (const Json& subject : subjects({"--ratios"})) {
    CHECK(subject["ratios"] == ratios({}, kStrong));
    CHECK(holds(asked, subject["callpath"].get<std::string>() + ", time:\n"));
  }
}
