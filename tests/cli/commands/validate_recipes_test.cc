// `trainplan validate --recipes`: published layouts against what a search finds in their place.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kJob = R"(
model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64}
cluster: {use: dgx-a100-80gb, gpus: 16}
software: {use: megatron-core}
)";

/// A folder with one problem, whose recipe has this layout.
struct Folder {
  TestFolder files;

  explicit Folder(const std::string& layout, const std::string& table = "file,id,gpus,measured_s\n7,small,16,1.5\n",
                  const std::string& open = "parallelism: auto\n") {
    files.add("problems.csv", table);
    files.add("7-recipe.yaml", kJob + ("parallelism: " + layout + "\n"));
    files.add("7-auto.yaml", kJob + open);
  }
  Ran scored(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"validate", "--recipes", files.name()});
    return ran(more);
  }
  Json document() const {
    const Ran r = scored({"--format", "json"});
    REQUIRE_MESSAGE(r.status == 0, r.err);
    return Json::parse(r.out);
  }
};

Json step(const std::string& layout) {
  return Json::parse(ran({"plan", "-", "--format", "json"}, kJob + ("parallelism: " + layout + "\n")).out)["step"];
}

}  // namespace

TEST_CASE("validate --recipes: a poor layout is beaten beyond doubt, and the page says by what") {
  const char* layout = "{tp: 8, pp: 2, microbatch: 1, recompute: full}";
  const Json doc = Folder(layout).document();
  const Json& row = doc["rows"][0];
  CHECK(row["id"] == "small");
  CHECK(row["measured_seconds"] == 1.5);
  CHECK(row["recipe_seconds"] == step(layout)["seconds"]);
  const Json found = Json::parse(ran({"search", "-", "--format", "json", "--top", "1"}, kJob).out);
  CHECK(row["best_seconds"] == found["plans"][0]["step_seconds"]);
  CHECK(row["gain"].get<double>() ==
        doctest::Approx(1 - row["best_seconds"].get<double>() / row["recipe_seconds"].get<double>()));
  CHECK(row["told_apart"] == true);
  CHECK(holds(row["differences"].get<std::string>(), "tp 8 to "));
  CHECK(row["outside"].is_null());
  CHECK(doc["summary"]["problems"] == 1);
  CHECK(doc["summary"]["median_gain"] == row["gain"]);
  CHECK(doc["summary"]["gain_90"] == row["gain"]);
  CHECK(doc["summary"]["told_apart"] == 1);
}

TEST_CASE("validate --recipes: the best plan as the recipe gains nothing") {
  const Json found = Json::parse(ran({"search", "-", "--format", "json", "--top", "1"}, kJob).out);
  Json layout = found["plans"][0]["choices"];
  std::string text;
  for (const auto& [path, value] : layout.items())
    text += (text.empty() ? "{" : ", ") + path.substr(path.find('.') + 1) + ": " +
            (value.is_string() ? value.get<std::string>() : value.dump());
  const Json row = Folder(text + "}").document()["rows"][0];
  CHECK(row["gain"] == 0);
  CHECK(row["told_apart"] == false);
  CHECK(row["differences"].is_null());
}

TEST_CASE("validate --recipes: a recipe outside the space, and one that does not fit") {
  const Folder narrow("{tp: 4, pp: 1, microbatch: 1}", "file\n7\n", "parallelism: {tp: [1, 2], microbatch: [1, 2]}\n");
  CHECK(holds(narrow.document()["rows"][0]["outside"].get<std::string>(), "tp 4: the search has 1, 2"));
  CHECK(narrow.document()["rows"][0]["id"] == "7");
  CHECK(narrow.document()["summary"]["outside"] == 1);
  Folder large("{}");
  large.files.add("7-recipe.yaml", std::regex_replace(std::string(kJob), std::regex("1[.]3b"), "13b"));
  CHECK(holds(large.document()["rows"][0]["infeasible"].get<std::string>(), "needs "));
  CHECK(large.document()["summary"]["infeasible"] == 1);
  CHECK(holds(large.scored().out, "recipe infeasible"));
  Folder refused("{offload: {activations: 0.5}, pp: 2}");
  CHECK(holds(refused.document()["rows"][0]["infeasible"].get<std::string>(), "transformer_config.py: cpu_offloading"));
}

TEST_CASE("validate --recipes: Megatron-Bridge's search has its FSDP where no stages are, and states whole nowhere") {
  const std::string job = std::regex_replace(std::string(kJob), std::regex("megatron-core"), "megatron-bridge");
  const auto outside = [&](const std::string& layout) {
    Folder folder("{}");
    folder.files.add("7-recipe.yaml", job + "parallelism: " + layout + "\n");
    folder.files.add("7-auto.yaml", job + "parallelism: auto\n");
    const Json row = folder.document()["rows"][0];
    return row["outside"].is_null() ? std::string() : row["outside"].get<std::string>();
  };
  CHECK(outside("{zero: 3}") == "");
  CHECK(outside("{zero: 1, pp: 2}") == "");
  CHECK(outside("{zero: 0}") == "zero 0: the search has 1, 3");
}

TEST_CASE("validate --recipes: what is wrong in the folder is diagnosed at its place") {
  const char* layout = "{tp: 2}";
  const struct {
    std::string table, message;
    int status = 1;
  } rows[] = {
      {"id\n7\n", "expected a column 'file'"},
      {"file\n", "the table has no rows"},
      {"file\n8\n", "problems.csv:2:1: error: "},
      {"file,measured_s\n7,-1\n", "problems.csv:2:3: error: expected seconds above 0"},
      {"file,gpus\n7,32\n", "7-recipe.yaml has cluster.gpus 16", 0},
      {"file,precision\n7,fp8\n", "problems.csv:2:3: warning: ", 0},
      {"file,precision\n7,fp8\n", "7-recipe.yaml has job.precision bf16", 0},
      {"file,task\n7,lora\n", "7-recipe.yaml has job.task pretrain", 0},
  };
  for (const auto& row : rows) {
    INFO(row.table);
    const Ran r = Folder(layout, row.table).scored();
    CHECK(r.status == row.status);
    CHECK_MESSAGE(holds(r.err, row.message), r.err);
  }
  const Json broken = Folder("{tp: 3}").document();
  CHECK(holds(broken["rows"][0]["skipped"].get<std::string>(), "the recipe has no plan: "));
  CHECK(broken["summary"]["scored"] == 0);
  CHECK(Folder("{tpp: 3}").document()["rows"][0]["skipped"].get<std::string>().starts_with("unknown"));
  CHECK(ran({"validate", "--recipes", "/none"}).status == 1);
  CHECK(holds(Folder(layout).scored({"--where", "true"}).err, "a folder of recipes has none"));
}
