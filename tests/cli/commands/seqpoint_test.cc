// `trainplan seqpoint`: page, formats, flags and exit status.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"

using Json = nlohmann::ordered_json;

namespace {

/// Twelve lengths, each as often as it is long, with times that grow by the square: as in
/// tests/planner/seqpoint/seqpoint_test.cc.
std::string twelve() {
  std::string text = "length,seconds\n";
  for (int length = 1; length <= 12; ++length)
    for (int i = 0; i < length; ++i) text += std::to_string(length) + "," + std::to_string(length * length) + "\n";
  return text;
}

/// A scenario beside the log, which is standard input.
class ScenarioFile {
 public:
  explicit ScenarioFile(const std::string& text) { std::ofstream(path_) << text; }
  ~ScenarioFile() { std::filesystem::remove(path_); }
  ScenarioFile(const ScenarioFile&) = delete;
  ScenarioFile& operator=(const ScenarioFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "trainplan_seqpoint_test.yaml").string();
};

Ran seqpoint(const std::string& log, std::vector<std::string> more = {}, int width = 80) {
  std::vector<std::string> args{"seqpoint", "-"};
  args.insert(args.end(), more.begin(), more.end());
  return ran(args, log, width);
}

Json json(const std::string& log, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--format", "json"});
  const Ran r = seqpoint(log, more);
  REQUIRE_MESSAGE(r.status == 0, r.err);
  return Json::parse(r.out);
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> out;
  for (const auto& [key, value] : object.items()) out.push_back(key);
  return out;
}

std::string data_set() {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::to_string(20 + i * 7919 % 997) + "\n";
  return text;
}

}  // namespace

TEST_CASE("seqpoint prints what to run, and what it is held against") {
  const Ran r = seqpoint(twelve(), {"--threshold", "0.05"});
  CHECK_MESSAGE(r.status == 0, r.err);
  CHECK(holds(r.out, "78 iterations of 12 lengths, 5 SeqPoints in 5 bins"));
  CHECK(holds(r.out, "1.690 h, projected 1.738 h (+2.83 %)"));
  // 4 + 25 + 49 + 81 + 121 s once; the longest 121 s.
  CHECK(holds(r.out, "280.0 s, 21.73x less than the epoch; 50.28x less side by side"));
  for (const char* part : {"SeqPoints\n", "Held against\n", "frequent", "median", "worst", "prior", "kmeans"})
    CHECK(holds(r.out, part));
  CHECK(!holds(r.out, "On other machines"));
  CHECK(r.err.empty());
}

TEST_CASE("seqpoint in JSON, and the SeqPoints as rows") {
  const Json doc = json(twelve(), {"--threshold", "0.05"});
  CHECK(keys(doc) == std::vector<std::string>{"format", "iterations", "unique_lengths", "bins", "points",
                                              "actual_seconds", "projected_seconds", "error", "saved_serial",
                                              "saved_parallel", "alternatives", "threshold_met", "left_over_sequences",
                                              "geomean_error", "projections", "chosen_by", "truth", "statistics"});
  CHECK(doc["format"] == "trainplan.seqpoint/1");
  CHECK(doc["iterations"] == 78);
  CHECK(doc["unique_lengths"] == 12);
  CHECK(doc["bins"] == 5);
  CHECK(doc["actual_seconds"] == 6084);
  CHECK(doc["projected_seconds"] == 6256);
  CHECK(doc["error"].get<double>() == doctest::Approx(172.0 / 6084));
  CHECK(doc["saved_serial"].get<double>() == doctest::Approx(6084.0 / 280));
  CHECK(doc["saved_parallel"].get<double>() == doctest::Approx(6084.0 / 121));
  CHECK(doc["geomean_error"].is_null());
  CHECK(doc["projections"].empty());
  REQUIRE(doc["points"].size() == 5);
  CHECK(keys(doc["points"][0]) ==
        std::vector<std::string>{"length", "weight", "seconds", "shortest", "longest", "share"});
  CHECK(doc["points"][4]["length"] == 11);
  CHECK(doc["points"][4]["weight"] == 33);
  CHECK(doc["points"][4]["shortest"] == 10);
  REQUIRE(doc["alternatives"].size() == 5);
  CHECK(doc["alternatives"][0]["name"] == "frequent");
  CHECK(doc["alternatives"][0]["points"] == 1);
  CHECK(doc["alternatives"][0]["lengths"] == Json::array({12}));
  CHECK(doc["alternatives"][3]["points"] == 50);
  const Ran csv = seqpoint(twelve(), {"--threshold", "0.05", "--format", "csv", "--columns", "length,weight"});
  CHECK(csv.out == "length,weight\n2,6\n5,9\n7,13\n9,17\n11,33\n");
  const Ran lines = seqpoint(twelve(), {"--format", "ndjson"});
  CHECK(Json::parse(lines.out.substr(0, lines.out.find('\n')))["format"] == "trainplan.seqpoint/1");
}

TEST_CASE("a data set is timed by a scenario, on its machine and on others") {
  const ScenarioFile file(kSmallJob);
  const Json doc =
      json(data_set(), {"--scenario", file.path(), "--order", "bucketed", "--seed", "3", "--divide", "2", "--quantum",
                        "8", "--on", "[flop-vs-bw-2x, {name: slow, set: {cluster.gpu.speedup: 0.5}}]"});
  CHECK(doc["iterations"] == 2000 / 64);
  CHECK(doc["left_over_sequences"] == 2000 % 64);
  for (const Json& p : doc["points"]) CHECK(p["length"].get<int64_t>() % 8 == 0);
  REQUIRE(doc["projections"].size() == 2);
  const Json& fast = doc["projections"][0];
  CHECK(keys(fast) == std::vector<std::string>{"name", "actual_seconds", "speedup_actual", "projected_seconds", "error",
                                               "speedup_projected", "speedup_error", "alternatives"});
  CHECK(fast["name"] == "flop-vs-bw-2x");
  CHECK(fast["speedup_actual"].get<double>() > 1);
  CHECK(doc["projections"][1]["speedup_actual"].get<double>() < 1);
  CHECK(fast["error"].get<double>() ==
        doctest::Approx(fast["projected_seconds"].get<double>() / fast["actual_seconds"].get<double>() - 1));
  REQUIRE(fast["alternatives"].size() == 4);  // 31 iterations have no `prior`
  CHECK(fast["alternatives"][2]["name"] == "worst");
  CHECK(doc["geomean_error"].is_number());
  CHECK(doc["alternatives"][2]["geomean_error"].get<double>() > doc["geomean_error"].get<double>());
  const Ran page = seqpoint(data_set(), {"--scenario", file.path(), "--on", "flop-vs-bw"}, 100);
  for (const char* part :
       {"megatron-1.7b on a100-sxm-80gb: 31 iterations", "left over", "16 sequences behind", "On other machines\n",
        "Error of the epoch there\n", "Error of the speed-up, in points\n", "flop-vs-bw-4x"})
    CHECK(holds(page.out, part));
  CHECK(!holds(page.out, "-0.00"));
  const Json set = json(data_set(), {"--scenario", file.path(), "--set", "job.global_batch=128"});
  CHECK(set["iterations"] == 2000 / 128);
}

TEST_CASE("seqpoint: a threshold that no bins reach is a warning") {
  const std::string far = twelve() + "1000000,5\n";
  const Ran r = seqpoint(far);
  CHECK(r.status == 0);
  CHECK(
      holds(r.err, "warning: no number of bins up to that of lengths brings the error to 0.001; 5 bins come nearest"));
  CHECK(json(far)["threshold_met"] == false);
  CHECK(json(twelve())["threshold_met"] == true);
}

TEST_CASE("seqpoint: mistakes in the log have their place, and exit status 1") {
  const Ran r = seqpoint("length,seconds\n4,1\n5,-2\n", {"--format", "json"});
  CHECK(r.status == 1);
  CHECK(holds(r.err, "<stdin>:3:3: error: expected a time above zero, got '-2'\n   3 | 5,-2\n     |   ^~\n"));
  const Json doc = Json::parse(r.out);
  CHECK(doc["format"] == "trainplan.diagnostics/1");
  CHECK(doc["diagnostics"][0]["line"] == 3);
  CHECK(seqpoint("").status == 1);
  CHECK(ran({"seqpoint", "/nonexistent.csv"}).status == 1);
  CHECK(seqpoint("4\n", {"--scenario", "/nonexistent.yaml"}).status == 1);
  const ScenarioFile file(kSmallJob);
  const Ran few = seqpoint("4\n5\n", {"--scenario", file.path()});
  CHECK(few.status == 1);
  CHECK(holds(few.err, "<stdin>:1:1: error: a batch of 64 is larger than the data set: it has 2 sequences"));
  CHECK(seqpoint("4\n", {"--scenario", file.path(), "--on", "flop-vs-bandwidth"}).status == 1);
  CHECK(seqpoint("4\n", {"--scenario", file.path(), "--catalog", "/nonexistent"}).status == 1);
}

TEST_CASE("seqpoint: flags that do not go with the log, and exit status 2") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"--order", "random"}, "--order"},
      {{"--order", "sorted"}, "--order, --seed, --divide and --quantum make batches of a data set"},
      {{"--quantum", "8"}, "--order, --seed, --divide and --quantum make batches of a data set"},
      {{"--quantum", "0"}, "--quantum"},
      {{"--divide", "2000000000"}, "--divide and --quantum take whole numbers to 1000000000"},
      {{"--threshold", "-1"}, "--threshold takes a fraction"},
      {{"--threshold", "nan"}, "--threshold takes a fraction"},
      {{"--warmup", "-1"}, "--warmup takes a number of iterations"},
      {{"--on", "flop-vs-bw"}, "--set and --on change a scenario: --scenario FILE names it"},
      {{"--set", "job.global_batch=8"}, "--set and --on change a scenario"},
      {{"--picture", "flops"}, "--picture takes seconds, histogram or a column of --statistic"},
      {{"--truth-set", "operator_models.gemm=wave"}, "--truth-set changes a scenario: --scenario FILE names it"},
      {{"--truth", "a.csv", "--truth-set", "operator_models.gemm=wave"}, "are two truths"},
  };
  for (const auto& [flags, message] : wrong) {
    const auto& said = message;
    const Ran r = seqpoint(twelve(), flags);
    CHECK_MESSAGE(r.status == 2, said);
    CHECK_MESSAGE(holds(r.err, message), r.err);
    CHECK(r.out.empty());
  }
  CHECK(holds(seqpoint("4\n5\n").err, "the log has no times: --scenario FILE says the machine"));
  CHECK(seqpoint("4\n5\n").status == 2);
  CHECK(json(twelve(), {"--warmup", "0"})["alternatives"][3]["lengths"][0] == 1);
}
