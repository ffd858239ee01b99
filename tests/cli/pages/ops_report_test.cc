#include "cli/pages/ops_report.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/render/render.h"

using Json = nlohmann::ordered_json;

namespace {

std::vector<planner::OperatorRow> sample_rows() {
  planner::OperatorRow qkv{.name = "attention.qkv",
                           .phase = "forward",
                           .layer = "layer",
                           .sublayer = "attention",
                           .kind = "gemm",
                           .op_class = "gemm",
                           .part = "linear",
                           .shape = {{"m", 2048}, {"n", 4608}, {"k", 12288}},
                           .count = 10,
                           .flops = 2e12,
                           .bytes_read = 1e9,
                           .bytes_written = 5e8,
                           .intensity = 1333,
                           .seconds = 0.01,
                           .share = 0.5,
                           .bound = "compute",
                           .model = "wave",
                           .provenance = "interpolated",
                           .relative_error = 0.05};
  planner::OperatorRow fc = qkv, norm = qkv;
  fc.name = "mlp.fc", fc.sublayer = "mlp", fc.seconds = 0.006, fc.share = 0.3;
  norm.name = "norm", norm.kind = norm.op_class = "vector", norm.flops = 1e9, norm.shape = {{"elements", 1e6}},
  norm.seconds = 0.004, norm.share = 0.2;
  return {qkv, fc, norm};
}

Json json_of(const cli::Report& report) {
  std::ostringstream out;
  cli::render(report, "json", {}, out);
  return Json::parse(out.str());
}

}  // namespace

TEST_CASE("ops has the columns of the contract, in its order") {
  Json json = json_of(cli::ops_report(sample_rows()));
  CHECK(json["format"] == "trainplan.ops/1");
  std::vector<std::string> keys;
  for (auto& [key, value] : json["ops"][0].items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"name",    "phase",      "layer",         "sublayer",   "kind",
                                         "class",   "part",       "shape",         "count",      "launches",
                                         "flops",   "bytes_read", "bytes_written", "near_bytes", "intensity",
                                         "seconds", "share",      "bound",         "at_once",    "gain",
                                         "model",   "provenance", "relative_error"});
  CHECK(json["ops"][0]["shape"] == Json::parse(R"({"m": 2048, "n": 4608, "k": 12288})"));
  CHECK(json["ops"][0]["count"].is_number_integer());
  CHECK(json["ops"].size() == 3);
}

TEST_CASE("--group sums a step's calls by a column") {
  Json json = json_of(cli::ops_grouped(sample_rows(), {"class"}));
  REQUIRE(json["ops"].size() == 2);
  CHECK(json["ops"][0]["class"] == "gemm");
  CHECK(json["ops"][0]["count"] == 20);
  CHECK(json["ops"][0]["flops"] == 4e13);
  CHECK(json["ops"][0]["seconds"].get<double>() == doctest::Approx(0.16));
  CHECK(json["ops"][0]["share"].get<double>() == doctest::Approx(0.8));
  CHECK(json["ops"][0]["intensity"].get<double>() == doctest::Approx(4e13 / 3e10));
  CHECK(json["ops"][1]["class"] == "vector");
}

TEST_CASE("several keys nest: groups of the outer one side by side, in the order of its first row") {
  const std::vector<planner::OperatorRow> rows = sample_rows();  // attention, mlp, attention again
  const Json ops = json_of(cli::ops_grouped(rows, {"sublayer", "class"}))["ops"];
  std::vector<std::pair<std::string, std::string>> groups;
  double seconds = 0, all = 0;
  for (const auto& row : ops) {
    groups.emplace_back(row["sublayer"], row["class"]);
    seconds += row["seconds"].get<double>();
  }
  using Groups = std::vector<std::pair<std::string, std::string>>;
  CHECK(groups == Groups{{"attention", "gemm"}, {"attention", "vector"}, {"mlp", "gemm"}});
  for (const planner::OperatorRow& r : rows) all += r.count * r.seconds;
  CHECK(seconds == doctest::Approx(all));
}

TEST_CASE("every key groups") {
  for (const char* key : {"phase", "layer", "sublayer", "kind", "class", "part", "bound", "model", "provenance"}) {
    Json json = json_of(cli::ops_grouped(sample_rows(), {key}));
    double share = 0;
    for (const auto& row : json["ops"]) share += row["share"].get<double>();
    CAPTURE(std::string(key));
    CHECK(share == doctest::Approx(1));
  }
}

TEST_CASE("the operator table fits 80 and uses 160 columns") {
  for (int width : {80, 160}) {
    std::ostringstream out;
    cli::render(cli::ops_report(sample_rows()), "table", {.width = width}, out);
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= static_cast<size_t>(width), line);
    CHECK((out.str().find("not shown") == std::string::npos) == (width > 200));
  }
}
