// trainplan schema: what it says holds for every shipped file, and for nothing that `check` refuses.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/input/catalogue.h"
#include "planner/scenario/scenario.h"
#include "tests/cli/harness.h"
#include "tests/cli/json_schema.h"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json schema_of(const std::string& kind) {
  const Ran r = ran({"schema", kind});
  REQUIRE(r.status == 0);
  return json::parse(r.out);
}

json tree_of(const std::string& text) {
  const dsl::Source source{"a.yaml", text, ""};
  dsl::Diagnostics diagnostics;
  const dsl::Node tree = dsl::parse_yaml(source, diagnostics);
  REQUIRE(!diagnostics.has_errors());
  return yaml_as_json(tree);
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const json& member(const json& object, const char* key) {
  static const json none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

/// The schema at "cluster.network[].name" of the scenario's, or null.
const json& at(const json& schema, const std::string& path) {
  const json* here = &schema;
  for (size_t from = 0; from <= path.size();) {
    const size_t dot = std::min(path.find('.', from), path.size());
    std::string step = path.substr(from, dot - from);
    from = dot + 1;
    const bool list = step.ends_with("[]");
    if (list) step.resize(step.size() - 2);
    here = step == "*" ? &member(*here, "additionalProperties") : &member(member(*here, "properties"), step.c_str());
    if (list) here = &member(*here, "items");
  }
  return *here;
}

constexpr const char* kGood =
    "model: {use: gpt3-175b}\njob: {sequence: 2048, global_batch: 1536}\ncluster: {use: dgx-a100-80gb, gpus: 512}\n";

}  // namespace

TEST_CASE("every shipped scenario is valid") {
  const json schema = schema_of("scenario");
  int files = 0;
  for (const auto& entry : fs::directory_iterator(TRAINPLAN_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    CHECK_MESSAGE(schema_error(schema, tree_of(read(entry.path()))) == "", entry.path().string());
    ++files;
  }
  CHECK(files >= 10);
}

TEST_CASE("every catalogue file is valid for its kind") {
  std::map<std::string, json> schemas;
  for (const cli::EntryKind& kind : cli::entry_kinds()) schemas[kind.name] = schema_of(kind.name);
  for (const dsl::BuiltinFile& file : planner::builtin_catalog()) {
    const std::string kind(file.kind), name(file.name);
    CHECK_MESSAGE(schema_error(schemas.at(kind), tree_of(std::string(file.text))) == "", kind, "/", name);
  }
}

TEST_CASE("every field has its place in the schema, with its words, and no other key is allowed") {
  const json schema = schema_of("scenario");
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  for (const dsl::Field& f : planner::scenario_schema()) {
    const json& here = at(schema, f.path);
    REQUIRE_MESSAGE(here.is_object(), f.path);
    CHECK_MESSAGE(here["description"].get<std::string>().starts_with(f.doc), f.path);
    for (const std::string& word : f.words) CHECK_MESSAGE(schema_error(here, word) == "", f.path, word);
    if (f.type != dsl::Type::word) continue;
    CHECK_MESSAGE(schema_error(here, "no-such-word") != "", f.path);
    CHECK(schema_error(here, "if(tp > 4, \"a\", \"b\")") == "");
  }
}

TEST_CASE("defaults are values of their fields") {
  const json schema = schema_of("scenario");
  for (const dsl::Field& f : planner::scenario_schema()) {
    const json& here = at(schema, f.path);
    if (here.contains("default")) CHECK_MESSAGE(schema_error(here, here["default"]) == "", f.path);
    CHECK(here.contains("default") == !f.otherwise.empty());
  }
  CHECK(at(schema, "parallelism.tp")["default"] == 1);
  CHECK(at(schema, "parallelism.sequence_parallel")["default"] == false);
  CHECK(at(schema, "job.precision")["default"] == "bf16");
  CHECK(at(schema, "parallelism.dp")["default"] == "cluster.gpus / (tp * pp * cp)");
}

TEST_CASE("what the language takes is valid") {
  const json schema = schema_of("scenario");
  for (const char* more :
       {"", "let: {cards: 512, p: '\"fp8\"', all: [1, 2]}\n", "extends: other.yaml\n",
        "parallelism: {tp: [1, 2, 4], pp: divisors(model.layers), dp: 8}\n",
        "parallelism: {stages: 4, sequence_parallel: tp > 1}\n", "parallelism: {stages: [4, 8 / 2]}\n",
        "parallelism:\n", "where: tp <= 8\n", "where: [tp <= 8, true]\n",
        "goal: {minimize: usd, deadline: 60 d, budget: null}\n", "software: {use: nemo, fusion: {norm: false}}\n",
        "roadmap: in_network\n", "roadmap: [{name: a, set: {tp: 2}}]\n", "roadmap: {years: 2, growth: {tp: 2}}\n",
        "operator_models: {gemm: wave}\n", "price_list: {use: ours.yaml}\n",
        "price_list: {dgx-h100: {price: 2 USD/h}}\n"})
    CHECK_MESSAGE(schema_error(schema, tree_of(kGood + std::string(more))) == "", std::string(more));
  for (const char* more : {"pattern: (M*)x2\n", "pattern: [{kind: mamba2, count: 3}, {kind: attention}]\n",
                           "pattern: [{repeat: [{repeat: [{kind: mlp}], count: 2}, {kind: mlp}], count: 4}]\n"})
    CHECK_MESSAGE(schema_error(at(schema, "model"), tree_of(more)) == "", std::string(more));
  const Ran plan = ran({"plan", TRAINPLAN_SOURCE_DIR "/scenarios/gpt3-175b.yaml", "--format", "json"});
  CHECK(schema_error(schema, json::parse(plan.out)["scenario"]) == "");
}

TEST_CASE("what check refuses is invalid, at its key") {
  const json schema = schema_of("scenario");
  const std::pair<const char*, const char*> rows[] = {
      {"job: {sequnce: 2048}", ".job.sequnce: unknown key"},
      {"jobs: {sequence: 2048}", ".jobs: unknown key"},
      {"use: gpt3-175b", ".use: unknown key"},
      {"job: {use: x}", ".job.use: unknown key"},
      {"job: 3", ".job: expected"},
      {"job: {sequence: true}", ".job.sequence: none of the forms"},
      {"job: {sequence: 0}", ".job.sequence: none of the forms"},
      {"job: {precision: bf61}", ".job.precision: none of the forms"},
      {"model: {pattern: [{kind: mlp, times: 3}]}", ".model.pattern: none of the forms"},
      {"model: {pattern: [{kind: mlp, count: 0}]}", ".model.pattern: none of the forms"},
      {"cluster: {price: 2}", ".cluster.price: none of the forms"},
      {"cluster: {network: [{name: x, bandwith: 1 GB/s}]}", ".cluster.network[].bandwith: unknown key"},
      {"cluster: {gpu: {calibration: {attention: {flash2: {forwards: 0.5}}}}}", "forwards: unknown key"},
      {"let: {a: {b: 1}}", ".let.a: expected"},
      {"model: {name: 3}", ".model.name: expected"},
  };
  for (const auto& [text, why] : rows) {
    const auto& said = text;
    CHECK_MESSAGE(schema_error(schema, tree_of(text)).find(why) != std::string::npos, std::string(said), ": ",
                  schema_error(schema, tree_of(said)));
  }
  CHECK(schema_error(schema_of("model"), tree_of("layer: 3")) == ".layer: unknown key");
  CHECK(schema_error(schema_of("model"), tree_of("use: gpt2")) == ".use: unknown key");
  CHECK(schema_error(schema_of("model"), tree_of("let: {a: 1}")) == ".let: unknown key");
  CHECK(schema_error(schema_of("cluster"), tree_of("extends: a\ngpu: {use: b}")) == "");
}

TEST_CASE("schema takes a kind, and tells an unknown one") {
  CHECK(ran({"schema"}).out == ran({"schema", "scenario"}).out);
  CHECK(ran({"schema", "models"}).out == ran({"schema", "model"}).out);
  const Ran wrong = ran({"schema", "modle"});
  CHECK(wrong.status == 1);
  CHECK(wrong.out == "");
  CHECK(wrong.err.find("did you mean 'model'?") != std::string::npos);
  CHECK(ran({"schema", "a", "b"}).status == 2);
  CHECK(ran({"__complete", "schema", ""}).out.find("calibration\n") != std::string::npos);
}
