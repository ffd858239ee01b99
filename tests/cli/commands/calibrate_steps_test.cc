// `trainplan calibrate steps` through the command line.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

using Json = nlohmann::ordered_json;

namespace {

using Args = std::vector<std::string>;

const std::string kHeader =
    "id,group,family,layers,hidden,heads,vocab,seq_len,gpu,gpus_per_node,n_gpus,precision,software,global_batch,tp,pp,"
    "dp,microbatch,recompute,measured_iteration_s,measured_memory_gb,memory_kind,outlier\n";

std::string run(const std::string& id, const std::string& group, int batch, double seconds,
                const std::string& outlier = "") {
  return id + "," + group + ",dense,24,2048,16,51200,2048,A100-SXM-80GB,8,8,bf16,megatron-core," +
         std::to_string(batch) + ",1,1,,1,none," + std::to_string(seconds) + ",,," + outlier + "\n";
}

Ran steps(const std::string& table, Args more = {}) {
  more.insert(more.begin(), {"calibrate", "steps", "-"});
  return ran(more, table);
}

/// Predicted seconds of the table's rows.
std::vector<double> predicted(const std::string& table, Args more = {}) {
  more.insert(more.begin(), {"validate", "-", "--format", "json", "--quiet"});
  std::vector<double> out;
  const Json j = Json::parse(ran(more, table).out);
  for (const Json& row : j["rows"]) out.push_back(row["predicted_seconds"]);
  return out;
}

/// Four runs of two groups, a tenth of a second slower than predicted and a tenth again.
std::string slower() {
  const int batches[] = {16, 64, 128, 512};
  std::string plain = kHeader, slow = kHeader;
  for (int batch : batches) plain += run("a", "g", batch, 1);
  const std::vector<double> times = predicted(plain);
  for (size_t i = 0; i < 4; ++i)
    slow += run("r" + std::to_string(i), i < 2 ? "g" : "h", batches[i], 1.1 * times[i] + 0.1);
  return slow;
}

Json json(const std::string& table, Args more = {}) {
  more.insert(more.end(), {"--format", "json", "--quiet"});
  return Json::parse(steps(table, more).out);
}

}  // namespace

TEST_CASE("calibrate steps prints the keys of the contract, and what determined each number") {
  const Json j = json(slower());
  CHECK(j["format"] == "trainplan.calibrate/1");
  for (const char* key : {"profile", "rows", "residual_error", "holdout", "warnings"})
    CHECK_MESSAGE(j.contains(key), key);
  CHECK(j["rows"] == 4);
  CHECK(j["residual_error"].get<double>() < 0.05);
  REQUIRE(j["holdout"].size() == 2);
  CHECK(j["holdout"][0]["left_out"] == "g");
  CHECK(j["holdout"][0]["geomean_error"].get<double>() > 0);
  REQUIRE(!j["parameters"].empty());
  for (const Json& p : j["parameters"]) {
    CHECK(p["moved"] == true);
    CHECK(p["rows"].get<int>() >= 3);
    CHECK(!p["groups"].empty());
    CHECK(j["profile"].contains(p["owner"].get<std::string>()));
  }
  for (const Json& b : j["budgets"]) CHECK(b["numbers"].get<int>() <= b["most"].get<int>());
}

TEST_CASE("text: the numbers, the errors, and YAML for each file with its provenance") {
  const Ran r = steps(slower());
  CHECK(r.status == 0);
  for (const char* part : {"numbers fitted to 4 rows of -", "Geomean errors", "Budgets", "Determined by", "all times",
                           "left out", "# calibrate steps: -, 4 rows, "})
    CHECK_MESSAGE(holds(r.out, part), part);
  CHECK_FALSE(has_nan(r.out));
  CHECK(steps(slower()).out == r.out);
}

TEST_CASE("the fitted values, set by hand, predict as the fit says") {
  const std::string table = slower();
  const Json j = json(table);
  Args sets;
  for (const Json& p : j["parameters"]) {
    std::string value = std::to_string(p["fitted"].get<double>());
    if (p["path"] == "software.launch" || holds(p["path"], "overhead")) value += " s";
    if (!holds(p["path"], "*")) sets.insert(sets.end(), {"--set", p["path"].get<std::string>() + "=" + value});
  }
  REQUIRE(sets.size() == 2 * j["parameters"].size());
  Args format{"validate", "-", "--format", "json", "--quiet"};
  format.insert(format.end(), sets.begin(), sets.end());
  const Json validated = Json::parse(ran(format, table).out);
  double sum = 0;
  for (const Json& row : validated["rows"]) {
    const double ratio = row["predicted_seconds"].get<double>() / row["measured_seconds"].get<double>();
    sum += std::log(ratio) * std::log(ratio);
  }
  CHECK(std::sqrt(sum / 4) == doctest::Approx(j["residual_error"].get<double>()).epsilon(0.02));
}

TEST_CASE("outliers are left out and told, unless --where speaks of them") {
  const std::string table = slower() + run("odd", "g", 64, 9, "a power cap");
  CHECK(json(table)["rows"] == 4);
  CHECK(holds(steps(table).err, "1 rows say why they are outliers"));
  CHECK(json(table, {"--where", "outlier == \"\" or outlier != \"\""})["rows"] == 5);
  CHECK(json(table, {"--where", "global_batch >= 64"})["rows"] == 3);
}

TEST_CASE("--fit names what may move; --set changes what it moves from") {
  const Json one = json(slower(), {"--fit", "software.step_overhead"});
  REQUIRE(one["parameters"].size() == 1);
  CHECK(one["parameters"][0]["path"] == "software.step_overhead");
  const Json set = json(slower(), {"--fit", "software.step_overhead", "--set", "software.step_overhead=100 ms"});
  CHECK(set["parameters"][0]["shipped"] == 0.1);
}

TEST_CASE("a number that ends far from its prior is warned of") {
  std::string far = kHeader;
  for (int batch : {16, 32, 64}) far += run("a", "g", batch, 3);
  const Ran r = steps(far, {"--fit", "software.step_overhead"});
  CHECK(holds(r.err, "warning: software.step_overhead of megatron-core ends "));
  CHECK(holds(r.err, "standard errors of its prior away"));
  CHECK_FALSE(holds(steps(slower()).err, "of its prior away"));
  CHECK(steps(far, {"--quiet"}).err.empty());
}

TEST_CASE("calibrate steps: mistakes") {
  const struct {
    std::string table;
    Args more;
    int status;
    const char* message;
  } rows[] = {
      {"id\na\n", {}, 1, "no column 'family'"},
      {kHeader, {}, 1, "no row can be predicted and compared"},
      {kHeader + run("a", "g", 64, -1), {}, 1, "<stdin>:2:"},
      {slower(), {"--fit", "software.lunch"}, 1, "no parameter 'software.lunch' can be fitted"},
      {slower(), {"--fit", "software.lunch"}, 1, "did you mean 'software.launch'?"},
      {slower(), {"--set", "software.nothing=3"}, 1, "unknown field"},
      {slower(), {"--where", "colour == 3"}, 1, "--where:1:1"},
      {slower(), {"--where", "tp == 9"}, 1, "no row can be predicted and compared"},
      {slower(), {"--gpu", "mi210"}, 2, "--gpu is of no use to steps"},
      {slower(), {"--score", "a100-sxm"}, 2, "--score is of no use to steps"},
  };
  for (const auto& row : rows) {
    const Ran r = steps(row.table, row.more);
    CHECK(r.status == row.status);
    CHECK_MESSAGE(holds(r.err, row.message), r.err);
    CHECK_FALSE(holds(r.out, "profile"));
  }
  CHECK(ran({"calibrate", "steps"}).status == 2);
  CHECK(ran({"calibrate", "gemm", "-", "--fit", "software.launch"}).status == 2);
}

TEST_CASE("--write makes a catalogue folder with which the runs are predicted as the fit says") {
  TestFolder folder;
  const std::string table = slower(), out = (folder.path / "mine").string();
  const Ran fit = steps(table, {"--write", out, "--quiet"});
  REQUIRE_MESSAGE(fit.status == 0, fit.err);
  const std::vector<double> before = predicted(table), after = predicted(table, {"--catalog", out});
  const Json j = json(table);
  std::vector<double> measured;
  const Json rows = Json::parse(ran({"validate", "-", "--format", "json", "--quiet"}, table).out)["rows"];
  for (const Json& row : rows) measured.push_back(row["measured_seconds"]);
  for (size_t i = 0; i < measured.size(); ++i)
    CHECK(std::abs(after[i] / measured[i] - 1) < std::abs(before[i] / measured[i] - 1));
  CHECK(j["parameters"].size() > 0);
  const Ran again = steps(table, {"--write", out, "--quiet"});
  CHECK(again.status == 1);
  CHECK(again.err.find("is there already") != std::string::npos);
  const Ran nowhere = steps(table, {"--write", "/dev/null/x", "--quiet"});
  CHECK(nowhere.status == 1);
  CHECK(nowhere.err.find("cannot make the directory") != std::string::npos);
}
