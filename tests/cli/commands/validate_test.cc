// `trainplan validate` through the command line.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "cli/report/figure.h"
#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kRuns = std::string(TRAINPLAN_SOURCE_DIR) + "/tests/accuracy/runs_small.csv";
const std::string kGold = "group == \"korthikanti-tab5\"";

Json json(const Ran& r) { return Json::parse(r.out); }

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> out;
  for (const auto& [key, value] : object.items()) out.push_back(key);
  return out;
}

size_t widest(const std::string& text) {
  std::istringstream lines(text);
  size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
  return most;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("validate prints JSON with the keys of the contract") {
  Ran r = ran({"validate", kRuns, "--format", "json", "--quiet"});
  REQUIRE(r.status == 0);
  CHECK(r.err == "");
  Json j = json(r);
  CHECK(keys(j) == std::vector<std::string>{"format", "rows", "summary", "groups", "classes", "families", "problems"});
  CHECK(j["format"] == "trainplan.validate/1");
  const std::vector<std::string> row{"id",
                                     "group",
                                     "problem",
                                     "quality",
                                     "gpu",
                                     "precision",
                                     "software",
                                     "measured_seconds",
                                     "predicted_seconds",
                                     "low_seconds",
                                     "high_seconds",
                                     "error",
                                     "measured_memory_bytes",
                                     "predicted_memory_bytes",
                                     "memory_kind",
                                     "memory_error",
                                     "fit_probability",
                                     "violation",
                                     "assumptions",
                                     "skipped"};
  for (const Json& x : j["rows"]) CHECK(keys(x) == row);
  const std::vector<std::string> times{
      "mape", "median_ape", "max_ape", "bias", "within_10_percent", "inside_interval", "half_width"};
  std::vector<std::string> figures{"rows", "predicted", "skipped"};
  figures.insert(figures.end(), times.begin(), times.end());
  figures.insert(figures.end(), {"memory_mape", "mean_group_mape", "left_out"});
  CHECK(keys(j["summary"]) == figures);
  CHECK(keys(j["summary"]["left_out"]) == times);
  figures.insert(figures.begin(), "group");
  for (const Json& g : j["groups"]) CHECK(keys(g) == figures);
  for (const Json& p : j["problems"])
    CHECK(keys(p) == std::vector<std::string>{"problem", "layouts", "regret", "rank_correlation"});
}

TEST_CASE("the figures of validate follow from its rows") {
  Json j = json(ran({"validate", kRuns, "--format", "json", "--quiet"}));
  double sum = 0, bias = 0, count = 0, skipped = 0;
  for (const Json& row : j["rows"]) {
    skipped += !row["skipped"].is_null();
    CHECK(row["predicted_seconds"].is_null() == !row["skipped"].is_null());
    if (row["error"].is_null()) continue;
    double error = row["predicted_seconds"].get<double>() / row["measured_seconds"].get<double>() - 1;
    CHECK(row["error"].get<double>() == doctest::Approx(error));
    CHECK(row["low_seconds"].get<double>() <= row["predicted_seconds"].get<double>());
    sum += std::fabs(error), bias += error, ++count;
  }
  CHECK(j["summary"]["mape"].get<double>() == doctest::Approx(sum / count));
  CHECK(j["summary"]["bias"].get<double>() == doctest::Approx(bias / count));
  CHECK(j["summary"]["skipped"] == skipped);
  CHECK(j["summary"]["rows"].get<double>() == j["summary"]["predicted"].get<double>() + skipped);
  double mapes = 0, groups = 0, rows = 0;
  for (const Json& g : j["groups"]) {
    rows += g["rows"].get<double>();
    if (!g["mape"].is_null()) mapes += g["mape"].get<double>(), ++groups;
  }
  CHECK(rows == j["summary"]["rows"].get<double>());
  CHECK(j["summary"]["mean_group_mape"].get<double>() == doctest::Approx(mapes / groups));
}

TEST_CASE("--where selects the rows that are predicted and counted") {
  Json j = json(ran({"validate", kRuns, "--format", "json", "--where", kGold}));
  CHECK(j["summary"]["rows"] == 8);
  CHECK(j["groups"].size() == 1);
  CHECK(json(ran({"validate", kRuns, "--format", "json", "--where", "tp > 1000"}))["summary"]["mape"].is_null());
}

TEST_CASE(
    "classes cover every predicted time: by kind of job, generation, width and compared runs, and once by family") {
  const Json j = json(ran({"validate", kRuns, "--format", "json", "--quiet"}));
  double times = 0, covered = 0;
  for (const Json& row : j["rows"]) times += !row["error"].is_null();
  for (const Json& each : j["classes"]) {
    covered += each["predicted"].get<double>();
    CHECK(each["inside_interval"].get<double>() >= 0);
  }
  CHECK(covered == 4 * times);
  double of_families = 0;
  for (const Json& each : j["families"]) of_families += each["predicted"].get<double>();
  CHECK(of_families == times);
}

TEST_CASE("--by groups rows that are alike in its columns") {
  const Json j = json(ran({"validate", kRuns, "--format", "json", "--quiet", "--by", "software,gpu"}));
  CHECK(std::ranges::any_of(j["groups"], [](const Json& g) { return g["group"] == "megatron-2021 A100-SXM-80GB"; }));
  for (const Json& row : j["rows"])
    CHECK(row["group"] == row["software"].get<std::string>() + " " + row["gpu"].get<std::string>());
  std::set<std::string> generations;
  const Json by_generation = json(ran({"validate", kRuns, "--format", "json", "--quiet", "--by", "generation"}));
  for (const Json& g : by_generation["groups"]) generations.insert(g["group"]);
  CHECK(generations.contains("ampere"));
  CHECK(!generations.contains(""));
  const Ran wrong = ran({"validate", kRuns, "--by", "softwar"});
  CHECK(wrong.status == 1);
  CHECK(has(wrong.err, "--by: no column 'softwar'"));
  CHECK(has(wrong.err, "software"));
}

TEST_CASE("validate prints every format, without NaN and in 80 columns") {
  for (const char* format : {"table", "json", "ndjson", "csv", "tsv", "md"}) {
    INFO(std::string(format));
    Ran r = ran({"validate", kRuns, "--format", format, "--quiet"});
    CHECK(r.status == 0);
    CHECK_FALSE(r.out.empty());
    CHECK_FALSE(has_nan(r.out));
    if (std::string(format) == "table") CHECK(widest(r.out) <= 80);
  }
}

TEST_CASE("the table shows rows only where they are few, and groups, problems and summary always") {
  Ran all = ran({"validate", kRuns, "--quiet"}), few = ran({"validate", kRuns, "--quiet", "--where", kGold});
  CHECK_FALSE(has(all.out, "korth22-22B-full"));
  CHECK(has(few.out, "korth22-22B-full"));
  for (const Ran* r : {&all, &few})
    for (const char* part : {"Groups", "korthikanti-tab5", "Problems", "Summary", "mean absolute error"})
      CHECK(has(r->out, part));
}

TEST_CASE("the summary says how wide the intervals are") {
  const std::vector<std::string> one{"validate", kRuns, "--quiet", "--where", "id == \"korth22-22B-full\"", "--format"};
  const auto as = [&](const char* format) {
    std::vector<std::string> arguments = one;
    arguments.emplace_back(format);
    return ran(arguments).out;
  };
  const Json row = Json::parse(as("json"))["rows"][0];
  const double low = row["low_seconds"], high = row["high_seconds"], predicted = row["predicted_seconds"];
  CHECK(has(as("table"),
            "half-width of it, median     " + cli::figure((high - low) / (2 * predicted), cli::Unit::fraction)));
  CHECK(has(as("md"), "half-width of it, median"));
}

TEST_CASE("the summary says the regret of problems of many layouts") {
  std::ifstream file(kRuns);
  std::string table, row;
  std::getline(file, table);
  std::getline(file, row);  // korth22-22B-full: tp 8, pp 1, dp 1, microbatch 4 on 8 GPUs
  const size_t degrees = row.find(",8,1,1,"), microbatch = row.find(",4,4,fp16,full");
  REQUIRE(microbatch != std::string::npos);
  REQUIRE(degrees < microbatch);
  int layouts = 0;
  const auto add = [&](const std::string& tp_pp_dp, const std::string& size) {
    std::string other = row;
    other.replace(microbatch, 2, "," + size);
    other.replace(degrees, 7, "," + tp_pp_dp + ",");
    table += "\n" + other;
    return ran({"validate", "-", "--quiet", "--where", "true"}, table + "\n").out;
  };
  std::string seven, eight;
  for (const char* degree : {"8,1,1", "4,2,1", "2,4,1"})
    for (const char* size : {"1", "2", "4"})
      if (++layouts <= 8) seven = std::exchange(eight, add(degree, size));
  CHECK_FALSE(has(seven, "regret ("));
  // All take as long: the best of them costs nothing.
  CHECK(has(eight, "regret (1 problem), largest "));
  CHECK(has(eight, " 0.0 %, 0.0 %"));
}

TEST_CASE("--columns, --sort and --top act on the rows") {
  Ran r = ran({"validate", kRuns, "--quiet", "--where", kGold, "--format", "csv", "--columns", "id,measured_seconds",
               "--sort", "measured_seconds", "--top", "1"});
  CHECK(r.out == "id,measured_seconds\nkorth22-1T-full,94.42\n");
}

TEST_CASE("the exit status of validate") {
  struct Case {
    std::vector<std::string> arguments;
    int status;
    const char* message;
  };
  const std::vector<Case> cases{
      {{kRuns, "--quiet"}, 0, ""},
      {{kRuns, "--quiet", "--max-mape", "1000"}, 0, ""},
      {{kRuns, "--quiet", "--max-mape", "0"}, 4, "--max-mape is 0"},
      {{kRuns, "--quiet", "--max-mape", "1", "--where", "tp > 1000"}, 1, "selects none of the table's rows"},
      {{"/nonexistent.csv"}, 1, "no such file"},
      {{kRuns, "--where", "nosuch == 1"}, 1, "--where:1:1: error: no column 'nosuch'"},
      {{kRuns, "--where", "tp =="}, 1, "--where:1:"},
      {{kRuns, "--where", "tp"}, 1, "expected true or false"},
      {{kRuns, "--max-mape", "-1"}, 2, "--max-mape"},
      {{kRuns, "--max-mape", "nan"}, 2, "--max-mape"},
      {{kRuns, "--max-mape", "x"}, 2, "--max-mape"},
      {{kRuns, "--nosuch"}, 2, "unknown flag"},
      {{}, 2, "usage: trainplan validate"},
      {{kRuns, "--columns", "nosuch"}, 2, "no column 'nosuch'"},
  };
  for (const Case& c : cases) {
    std::vector<std::string> arguments = c.arguments;
    arguments.insert(arguments.begin(), "validate");
    Ran r = ran(arguments);
    INFO(std::string(c.message), " | ", r.err);
    CHECK(r.status == c.status);
    CHECK(has(r.err, c.message));
  }
}

TEST_CASE("a table with mistakes is refused with their places") {
  Ran r = ran({"validate", "-"}, "id,layers\na,1,2\n\"b,3\n");
  CHECK(r.status == 1);
  CHECK(has(r.err, "<stdin>:2:5: error: expected 2 cells as in the header, got 3"));
  CHECK(has(r.err, "<stdin>:3:1: error: the quote is not closed"));
  Ran diagnosed = ran({"validate", "-", "--format", "json"}, "id\na\n");
  CHECK(diagnosed.status == 1);
  CHECK(json(diagnosed)["format"] == "trainplan.diagnostics/1");
  CHECK(json(diagnosed)["diagnostics"][0]["message"] == "no column 'family'");
  CHECK(ran({"validate", "-"}, std::string(2 << 20, 'x')).status == 1);
}

TEST_CASE("a run that is predicted not to fit is a warning, not a skipped row") {
  std::ifstream file(kRuns);
  std::string header, row;
  std::getline(file, header);
  std::getline(file, row);  // korth22-22B-full: batch and microbatch 4 on 8 GPUs
  size_t at = row.find(",4,4,fp16,full");
  REQUIRE(at != std::string::npos);
  row.replace(at, 14, ",4096,4096,fp16,none");
  Ran r = ran({"validate", "-", "--format", "json"}, header + "\n" + row + "\n");
  CHECK(r.status == 0);
  CHECK(has(r.err, "warning: 'korth22-22B-full' is predicted not to fit: stage 0 needs"));
  CHECK(json(r)["rows"][0]["skipped"].is_null());
  CHECK(ran({"validate", "-", "--quiet"}, header + "\n" + row + "\n").err == "");
}

TEST_CASE("a run that its own program would refuse is a warning: the rule is wrong") {
  std::ifstream file(kRuns);
  std::string header, row;
  std::getline(file, header);
  std::getline(file, row);
  const std::vector<std::string> args{"validate", "-", "--set", "software.rules=[\"pp > 100\"]"};
  const Ran r = ran(args, header + "\n" + row + "\n");
  CHECK(r.status == 0);
  CHECK(has(r.err, "warning: 'korth22-22B-full' ran, and a rule of its program refuses it: 'pp > 100' does not hold"));
}
