// list, show and check over the whole catalogue, and folders that come before it.
#include "cli/input/catalogue.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kKinds[] = {"accelerator", "cluster", "model", "software", "calibration"};

Json json(std::vector<std::string> args, const std::string& in = "") {
  args.insert(args.end(), {"--format", "json"});
  return Json::parse(ran(args, in).out, nullptr, false);
}

std::vector<std::string> names(const std::string& kind) {
  std::vector<std::string> out;
  const Json document = json({"list", kind});
  for (const Json& entry : document["entries"]) out.push_back(entry["name"]);
  return out;
}

}  // namespace

TEST_CASE("the overview counts what each list holds, and names are sorted and single") {
  const Json overview = json({"list"});
  for (const Json& kind : overview["entries"]) {
    const std::string name = kind["name"];
    INFO(name);
    CHECK(json({"list", name})["entries"].size() == kind["count"]);
  }
  for (const char* kind : kKinds) {
    const std::vector<std::string> all = names(kind);
    CHECK(std::is_sorted(all.begin(), all.end()));
    CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
    CHECK(ran({"list", std::string(cli::find_kind(kind)->folder)}).status == 0);
  }
}

TEST_CASE("every entry has a summary, every figure of its list, and shows itself under its own name") {
  for (const char* kind : kKinds) {
    const Json document = json({"list", kind});
    for (const Json& entry : document["entries"]) {
      const std::string name = entry["name"];
      INFO(std::string(kind), "/", name);
      // A TPU has no fp16, a list of operators no layers, and many a machine no price that anybody published; that the
      // others have them is the next tests' matter.
      constexpr std::array<std::string_view, 3> kOfPrice{"usd_per_gpu_hour", "contract", "price_date"};
      const bool fixed = name == "resnet-50" || name == "vgg-16" || name == "inception-v3" || name == "deepspeech2" ||
                         name.starts_with("dlrm-") || name.starts_with("gnmt");
      for (const auto& [column, value] : entry.items()) {
        const auto& said = column;
        const bool absent = column == "fp16_flops_per_second" || std::ranges::count(kOfPrice, column) > 0 ||
                            (fixed && (column == "layers" || column == "hidden"));
        CHECK_MESSAGE((!value.is_null() || absent), said);
      }
      CHECK(entry["summary"] != "");
      const Json shown = json({"show", std::string(kind) + "/" + name});
      CHECK(shown["kind"] == kind);
      CHECK(shown["name"] == name);
      CHECK(shown["summary"] == entry["summary"]);
      CHECK(shown["file"] == "catalog:" + std::string(cli::find_kind(kind)->folder) + "/" + name + ".yaml");
      CHECK(shown["figures"].size() > 0);
      for (const Json& figure : shown["figures"])
        if (figure["unit"].is_string()) CHECK_MESSAGE(figure["value"].is_number(), figure.dump());
    }
  }
}

TEST_CASE("the figures of a list are those that show prints") {
  const struct {
    const char *kind, *column, *figure;
  } rows[] = {{"accelerator", "fp16_flops_per_second", "flops.fp16"},
              {"accelerator", "memory_bytes", "memory"},
              {"accelerator", "memory_bytes_per_second", "memory_bandwidth"},
              {"cluster", "gpus_per_node", "gpus_per_node"},
              {"model", "layers", "layers"},
              {"model", "hidden", "hidden"},
              {"software", "attention", "attention"},
              {"calibration", "launch_seconds", "launch"}};
  for (const auto& row : rows) {
    const Json document = json({"list", row.kind});
    for (const Json& entry : document["entries"]) {
      INFO(std::string(row.kind), " ", entry["name"].get<std::string>(), " ", std::string(row.figure));
      const Json shown = json({"show", std::string(row.kind) + "/" + entry["name"].get<std::string>()});
      int found = 0;
      for (const Json& figure : shown["figures"])
        if (figure["name"] == row.figure) {
          ++found;
          CHECK(figure["value"] == entry[row.column]);
        }
      CHECK(found == (entry[row.column].is_null() ? 0 : 1));
    }
  }
}

TEST_CASE("a file's kind follows from its folder, then from its keys") {
  const struct {
    const char *file, *text, *kind;
  } rows[] = {{"models/a.yaml", "", "model"},
              {"clusters/a.yaml", "", "cluster"},
              {"accelerators/a.yaml", "", "accelerator"},
              {"software/a.yaml", "", "software"},
              {"calibrations/a.yaml", "", "calibration"},
              {"scenarios/a.yaml", "layers: 2\n", "scenario"},
              {"models/a.yaml", "job: {}\n", "model"},
              {"a.yaml", kToyModel, "model"},
              {"a.yaml", kSmallJob, "scenario"},
              {"a.yaml", "flops: {fp16: 1 TFLOP/s}\nmemory: 1 GB\n", "accelerator"},
              {"a.yaml", "gpu: {use: a100-sxm-80gb}\ngpus_per_node: 8\n", "cluster"},
              {"a.yaml", "", "scenario"},
              {"a.yaml", "[", "scenario"},
              {"a.yaml", "let: {a: 1}\nextends: b\n", "scenario"}};
  for (const auto& row : rows) {
    INFO(std::string(row.file), ": ", std::string(row.text));
    const std::string path = row.file;
    const size_t slash = path.rfind('/');
    const dsl::Source source{path, row.text, slash == std::string::npos ? "" : path.substr(0, slash)};
    CHECK(cli::kind_of_file(source).name == std::string(row.kind));
  }
}

TEST_CASE("a --catalog folder comes before the binary, the first of several before the others") {
  TestFolder first, second;
  first.add("models/gpt3-175b.yaml", "# first\nlayers: 1\nhidden: 64\nheads: 2\nvocab: 100\n");
  second.add("models/gpt3-175b.yaml", "# second\nlayers: 2\nhidden: 64\nheads: 2\nvocab: 100\n");
  second.add("models/only.yaml", "# only\nextends: gpt3-175b\nlayers: 3\n");
  second.add("models/broken.yaml", "layers: [\n");
  const std::string a = first.name(), b = second.name();
  CHECK(json({"show", "gpt3-175b"})["summary"] != "first");
  CHECK(json({"show", "gpt3-175b", "--catalog", a})["summary"] == "first");
  CHECK(json({"show", "gpt3-175b", "--catalog", b, "--catalog", a})["summary"] == "second");
  CHECK(json({"show", "gpt3-175b", "--catalog", a, "--catalog", b})["summary"] == "first");
  CHECK(json({"show", "only", "--catalog", b})["figures"][0]["value"] == 3);
  CHECK(json({"show", "gpt3-13b", "--catalog", a})["kind"] == "model");  // the binary is still there
  CHECK(json({"list", "model", "--catalog", b})["entries"].size() == names("model").size() + 2);
  const Json plan =
      json({"plan", "-", "--catalog", a, "--catalog", b, "--set", "model.use=gpt3-175b", "--set", "parallelism.tp=1"},
           kSmallJob);
  CHECK(plan["scenario"]["model"]["layers"] == 1);
  const Json listed = json({"list", "model", "--catalog", b});
  for (const Json& entry : listed["entries"])
    if (entry["name"] == "broken") {
      CHECK(entry["layers"].is_null());
      CHECK(entry["parameters"].is_null());
      CHECK(entry["active_parameters"].is_null());
    }
  CHECK(ran({"show", "broken", "--catalog", b}).status == 1);
}

TEST_CASE("a scenario's file beside it comes before the catalogue's folders") {
  TestFolder folder, catalog;
  folder.add("toy.yaml", kToyModel);
  catalog.add("models/toy.yaml", "layers: 9\nhidden: 64\nheads: 2\nvocab: 100\n");
  std::string text = kSmallJob;
  text.replace(text.find("megatron-1.7b"), 13, "toy");
  const std::string job = folder.add("job.yaml", text);
  CHECK(json({"plan", job, "--catalog", catalog.name()})["scenario"]["model"]["layers"] == 2);
  CHECK(json({"plan", "-", "--catalog", catalog.name()}, text)["scenario"]["model"]["layers"] == 9);
  CHECK(ran({"plan", "-"}, text).status == 1);
}

TEST_CASE("a file is checked with the mistakes of its kind") {
  TestFolder folder;
  const struct {
    const char *file, *text, *message;
  } rows[] = {{"models/m.yaml", "layers: 2\nhidden: 64\nheads: 2\n", "missing required field model.vocab"},
              {"models/m2.yaml", "layers: 2 GB\nhidden: 64\nheads: 2\nvocab: 1\n",
               "m2.yaml:1:9: error: expected a whole number"},
              {"accelerators/a.yaml", "memory: 80\n", "a.yaml:1:9: error: expected bytes"},
              {"clusters/c.yaml", "gpu: {use: none-such}\n", "c.yaml:1:12: error: no accelerator named 'none-such'"},
              {"software/s.yaml", "fusion: {qkv: maybe}\n", "s.yaml:1:15: error: unknown name 'maybe'"},
              {"calibrations/k.yaml", "launch: 3\n", "k.yaml:1:9: error: expected time"},
              {"models/u.yaml", "use: gpt3-175b\n",
               "u.yaml:1:1: error: a catalogue file takes 'extends' at its top, not 'use'"},
              {"models/l.yaml", "- 1\n", "is not a map of fields"},
              {"job.yaml", "model: {use: gpt3-175b}\n", "job.yaml:1:1: error: missing section 'job'"}};
  for (const auto& row : rows) {
    INFO(std::string(row.file));
    const std::string path = folder.add(row.file, row.text);
    Ran r = ran({"check", path});
    CHECK(r.status == 1);
    CHECK(r.out == "");
    CHECK_MESSAGE(holds(r.err, row.message), r.err);
    CHECK(json({"check", path})["diagnostics"].size() > 0);
  }
  const std::string open = folder.add("open.yaml", std::string(kSmallJob) + "where: [mfu > 0]\n");
  CHECK(ran({"check", open}).out == open + ": OK\n");
  CHECK(json({"check", open})["diagnostics"].empty());
}
