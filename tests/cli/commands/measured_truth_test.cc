// Iterations measured on an H100 (operator_models/kit) as ground truth of SeqPoints. Also unmeasured parts of a
// machine, listed next to the measured ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kRoot = TRAINPLAN_SOURCE_DIR;

struct Iteration {
  double length = 0, time_us = 0;
};
std::vector<Iteration> iterations(const std::string& network) {
  std::ifstream file(kRoot + "/tests/accuracy/" + network + "_h100.csv");
  std::vector<Iteration> all;
  std::string line;
  for (std::getline(file, line); std::getline(file, line);) {
    std::istringstream text(line);
    Iteration one;
    char comma = 0;
    text >> one.length >> comma >> one.time_us;
    all.push_back(one);
  }
  return all;
}

/// The largest distance from the line between the first and the last, over the last.
double bend(const std::vector<Iteration>& all) {
  const Iteration &first = all.front(), &last = all.back();
  double most = 0;
  for (const Iteration& one : all) {
    const double share = (one.length - first.length) / (last.length - first.length);
    const double line = first.time_us + share * (last.time_us - first.time_us);
    most = std::max(most, std::abs(one.time_us - line) / last.time_us);
  }
  return most;
}

/// Errors of the SeqPoints and of the most frequent length, by a truth.
std::pair<double, double> errors_by(const std::string& network) {
  const Ran r = ran(
      {"seqpoint", kRoot + "/scenarios/lengths/librispeech-dev-clean.samples16k.txt", "--divide", "1000", "--quantum",
       "16", "--scenario", kRoot + "/scenarios/gnmt-vega-fe.yaml", "--set", "cluster.gpu.use=h100-sxm-80gb", "--set",
       "job.precision=fp16", "--truth", kRoot + "/tests/accuracy/" + network + "_h100.csv", "--format", "json"},
      "");
  REQUIRE_MESSAGE(r.status == 0, r.err);
  const Json truth = Json::parse(r.out)["truth"];
  for (const Json& row : truth["alternatives"])
    if (row["name"] == "frequent") return {truth["error"], row["error"]};
  return {};
}

}  // namespace

TEST_CASE("an LSTM and an encoder were measured at forty lengths, none faster than a shorter one by more than noise") {
  for (const char* network : {"lstm", "encoder"}) {
    const std::vector<Iteration> all = iterations(network);
    REQUIRE(all.size() == 40);
    for (size_t i = 0; i < all.size(); ++i) {
      CHECK(all[i].length == 16 * (static_cast<double>(i) + 1));
      if (i > 0) CHECK(all[i].time_us > 0.98 * all[i - 1].time_us);
    }
    CHECK(bend(all) < 0.05);
  }
}

TEST_CASE("SeqPoints that a plan chose are right by measured iterations, which the most frequent length is not") {
  for (const char* network : {"lstm", "encoder"}) {
    const auto [seqpoint, frequent] = errors_by(network);
    CHECK(std::abs(seqpoint) < 0.004);
    CHECK(std::abs(frequent) > 0.15);
  }
}

TEST_CASE("a machine whose rate in a step nobody measured says so beside one of the same peak") {
  const std::string text =
      "model: {use: llama3-70b}\njob: {sequence: 8192, global_batch: 1024, tokens: 1e12}\n"
      "cluster: {use: [dgx-b200, gaudi3-hls], gpus: 128}\nsoftware: {use: megatron-core}\n";
  const Ran r = ran({"clusters", "-", "--format", "json"}, text);
  REQUIRE(r.status == 0);
  const Json rows = Json::parse(r.out)["rows"];
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["assumed_share"] < 0.1);
  CHECK(rows[1]["assumed_share"] > 0.85);
  const auto width = [](const Json& row) { return row["high_days"].get<double>() / row["low_days"].get<double>(); };
  CHECK(width(rows[1]) > width(rows[0]));
}
