// `trainplan calibrate errors`: the error model of measured runs, its scores, and its catalogue files.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

const std::string kRuns = TRAINPLAN_SOURCE_DIR "/tests/accuracy/runs_small.csv";

using Args = std::vector<std::string>;

Ran errors(Args more = {}) {
  more.insert(more.begin(), {"calibrate", "errors", kRuns, "--quiet"});
  return ran(more);
}

const Json& of_all() {
  static const Json json = Json::parse(errors({"--format", "json"}).out);
  return json;
}

/// A folder that is gone with the value.
class Folder {
 public:
  Folder() { fs::remove_all(path_); }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  fs::path path_ = fs::temp_directory_path() / "trainplan-calibrate-errors";
};

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string kPlan =
    "model: {use: llama3-8b}\njob: {sequence: 8192, global_batch: 64}\ncluster: {use: dgx-h100, gpus: 8}\n"
    "software: {use: nemo}\nparallelism: {tp: 2, microbatch: 1}\n";

}  // namespace

TEST_CASE("the JSON of calibrate errors has the numbers, the scores three times, and each row") {
  const Json& j = of_all();
  CHECK(j["format"] == "trainplan.calibrate/1");
  CHECK(j["kind"] == "errors");
  for (const char* number : {"software", "family", "group", "run", "machine"})
    CHECK(j["numbers"][number].get<double>() > 0);
  for (const char* asked : {"family_left_out", "group_left_out", "in_sample"}) {
    CHECK(j[asked][0]["name"] == "all");
    CHECK(j[asked][0]["rows"] == j["rows"].size());
  }
  CHECK(j["rows"].size() > 100);
}

TEST_CASE("every run counts once in each class and in its family") {
  const Json& j = of_all();
  const auto rows = j["rows"].size();
  size_t of_classes = 0, of_families = 0;
  for (const Json& each : j["family_left_out"]) of_classes += each["rows"].get<size_t>();
  for (const Json& each : j["families"]) of_families += each["rows"].get<size_t>();
  CHECK(of_families == rows);
  CHECK(of_classes == 5 * rows);  // all, kinds, generations, widths, numbers of runs
  for (const Json& each : j["family_left_out"]) {
    CHECK(each["mean"].get<double>() >= std::fabs(each["bias"].get<double>()) - 1e-12);
    CHECK(each["inside_50"] <= each["inside_80"]);
    CHECK(each["inside_80"] <= each["inside_95"]);
  }
}

TEST_CASE("what is known in sample is known better than what was left out") {
  const Json& j = of_all();
  const auto score = [&](const char* asked) { return j[asked][0]["log_score"].get<double>(); };
  CHECK(score("in_sample") > score("group_left_out"));
  CHECK(score("in_sample") > score("family_left_out"));
  const auto width = [&](const char* asked) { return j[asked][0]["half_width"].get<double>(); };
  CHECK(width("in_sample") < 1.1 * width("family_left_out"));  // the fits of half of these rows leave few numbers
}

TEST_CASE("--write gives catalogue files that plan takes") {
  const Folder folder;
  REQUIRE(errors({"--write", folder.path()}).status == 0);
  CHECK(fs::exists(fs::path(folder.path()) / "errors/published.yaml"));
  CHECK(fs::exists(fs::path(folder.path()) / "errors/nemo.yaml"));
  const Ran check = ran({"check", folder.path() + "/errors/nemo.yaml", "--catalog", folder.path()});
  CHECK_MESSAGE(check.status == 0, check.err);
  const auto accuracy = [&](Args more) {
    more.insert(more.begin(), {"plan", "-", "--format", "json", "--quiet"});
    return Json::parse(ran(more, kPlan).out)["accuracy"];
  };
  const Json own = accuracy({"--catalog", folder.path()}), shipped = accuracy({});
  CHECK(own["runs"].get<int>() > 0);
  CHECK(own["runs"] < shipped["runs"]);  // the small table has fewer
  CHECK(own["relative_error"] != shipped["relative_error"]);
  // Nothing is written over.
  const Ran again = errors({"--write", folder.path()});
  CHECK(again.status == 1);
  CHECK(holds(again.err, "errors/"));
}

TEST_CASE("--where selects, --priors names a catalogue, and flags of other kinds are refused") {
  const Json few = Json::parse(errors({"--format", "json", "--where", "software == \"nemo\""}).out);
  CHECK(few["rows"].size() < of_all()["rows"].size());
  for (const Json& row : few["rows"]) CHECK(row["software"].get<std::string>().starts_with("nemo"));
  CHECK(errors({"--where", "tp > 1000"}).status == 1);
  CHECK(holds(ran({"calibrate", "gemm", kRuns, "--priors", "x"}).err, "are of steps and errors alone"));
  CHECK(holds(ran({"calibrate", "nothing", kRuns}).err, "steps, errors"));
}

TEST_CASE("the text names all three ways of leaving out, the families, and what own runs say") {
  const Ran r = errors();
  REQUIRE(r.status == 0);
  for (const char* title : {"Whole families left out", "Groups left out", "In sample", "Families, each left out",
                            "beside own runs at the smallest scale", "Numbers"})
    CHECK_MESSAGE(holds(r.out, title), title);
}
