// The section `roadmap:`, and the presets of the catalogue.
#include "planner/resolve/roadmap_read.h"

#include <doctest/doctest.h>

#include <memory>
#include <sstream>

#include "tests/dsl/folder.h"
#include "tests/planner/studies/roadmap/roadmaps.h"

using planner::RoadmapStep;
using roadmaps::Reading;
using roadmaps::text_of;

namespace {

const std::string kBase = R"(let: {k: 3}
model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism: {tp: 2, pp: [1, 2]}
)";

std::string read(const std::string& roadmap) {
  Reading r(kBase + "roadmap: " + roadmap + "\n");
  INFO(roadmap, "\n", r.mistakes());
  REQUIRE(r.roadmap.has_value());
  std::string out;
  for (const RoadmapStep& step : r.roadmap->steps) {
    out += step.name + ":";
    for (const planner::RoadmapSet& set : step.sets) out += " " + text_of(set);
    out += "\n";
  }
  return out;
}

std::string mistakes(const std::string& roadmap) {
  Reading r(kBase + "roadmap: " + roadmap + "\n");
  CHECK(!r.roadmap.has_value());
  return r.mistakes();
}

std::string named(const std::string& preset) { return read(preset).substr(0, read(preset).find(':')); }

}  // namespace

TEST_CASE("values of a step are expressions over the base scenario") {
  CHECK(read("[{name: a, set: {cluster.gpu.flops.bf16: 2 * cluster.gpu.flops.bf16}}]") ==
        "a: cluster.gpu.flops.bf16=624 TFLOP/s\n");
  CHECK(read("{name: a, set: {tp: k + 1, job.precision: fp16, model.use: gpt3-13b, cluster.price: null}}") ==
        "a: parallelism.tp=4 job.precision=fp16 model.use=gpt3-13b cluster.price=null\n");
  CHECK(read("{name: a, set: {cluster: {gpu: {memory: 96 GB}, gpus: 16}}}") ==
        "a: cluster.gpu.memory=96 GB cluster.gpus=16\n");
  CHECK(read("{name: a, set: {parallelism.tp: [1, 2 * tp], where: tp <= 8}}") ==
        "a: parallelism.tp=[1, 4] where=tp <= 8\n");
}

TEST_CASE("tiers have names and roles, and a star stands for all that is there") {
  const std::string twice = "a: cluster.network[1].bandwidth=50 GB/s\n";
  for (const char* name : {"infiniband", "inter_node"})
    CHECK(read("{name: a, set: {cluster.network." + std::string(name) + ".bandwidth: 2 * cluster.network." + name +
               ".bandwidth}}") == twice);
  CHECK(read("{name: a, scale: {'cluster.network[1].bandwidth': 2}}") == twice);
  CHECK(read("{name: a, set: {cluster.network.*.reduction: half-bytes}}") ==
        "a: cluster.network[0].reduction=half-bytes cluster.network[1].reduction=half-bytes\n");
  CHECK(read("{name: a, scale: {cluster.gpu.flops.*: 2}}").find("fp8") == std::string::npos);  // an A100 has none
  CHECK(read("{name: a, scale: {cluster.gpu.flops.*: 2}}").find("fp16=624 TFLOP/s") != std::string::npos);
  Reading one(kBase + "roadmap: {name: a, set: {cluster.network.inter_node.bandwidth: 1 GB/s}}\n",
              {"cluster.network=[{name: nvlink, size: 8, bandwidth: 300 GB/s, latency: 1 us}]"});
  REQUIRE(one.roadmap.has_value());
  CHECK(one.roadmap->steps[0].sets.empty());  // no tier beyond the node: nothing to set
}

TEST_CASE("growth per year takes the power of its factor from year 0 on") {
  CHECK(read("{years: k - 1, growth: {cluster.gpu.flops.bf16: 1.5, cluster.gpus: 2}}") ==
        "year 0:\n"
        "year 1: cluster.gpu.flops.bf16=468 TFLOP/s cluster.gpus=16\n"
        "year 2: cluster.gpu.flops.bf16=702 TFLOP/s cluster.gpus=32\n");
}

TEST_CASE("a grid has two axes, either of which may be left out") {
  Reading r(kBase + "roadmap: {hardware: flop-vs-bw, models: [gpt3-13b, {name: b, set: {model.layers: 3}}]}\n");
  REQUIRE(r.roadmap.has_value());
  CHECK(r.roadmap->steps.size() == 3);
  REQUIRE(r.roadmap->models.size() == 2);
  CHECK(r.roadmap->models[0].name == "gpt3-13b");
  CHECK(text_of(r.roadmap->models[0].sets[0]) == "model.use=gpt3-13b");
  Reading models(kBase + "roadmap: {models: [gpt3-13b]}\n");
  CHECK(models.roadmap->steps.size() == 1);
  Reading plain(kBase + "roadmap: in_network\n");
  CHECK(plain.roadmap->models[0].name == "gpt3-1.3b");
}

TEST_CASE("mistakes of a roadmap, all of them, each at its place") {
  CHECK(mistakes("[]") == "6:10 the roadmap has no steps\n");
  CHECK(mistakes("in_networ") == "6:10 no roadmap named 'in_networ' [did you mean 'in_network'?]\n");
  CHECK(mistakes("{models: [gpt3-13]}") == "6:20 no model named 'gpt3-13' [did you mean 'gpt3-13b'?]\n");
  CHECK(mistakes("{hardware: flop-vs-bw, modles: []}") ==
        "6:33 unknown key 'modles' of a roadmap [did you mean 'models'?]\n");
  CHECK(mistakes("[{set: {}}, {name: a, sett: {}}, {name: a}]") ==
        "6:11 a step of a roadmap needs a name [write {name: ..., set: {PATH: VALUE}}]\n"
        "6:32 unknown key 'sett' of a roadmap [did you mean 'set'?]\n"
        "6:50 there are two steps 'a' [give one of them another name]\n");
  CHECK(
      mistakes("{name: a, set: {cluster.gpu.memry: 1, cluster.gpu.memory: 3 s, job.precision: bf61, tp: 0}}") ==
      "6:26 unknown field 'cluster.gpu.memry' [did you mean 'cluster.gpu.memory'?]\n"
      "6:68 expected bytes for cluster.gpu.memory, got 3 s [write a number with its unit: B, kB, MB, GB, TB, PB, KiB, "
      "MiB, GiB or TiB]\n"
      "6:88 expected one of fp32, tf32, fp16, bf16, fp8, mxfp8, nvfp4 for job.precision, got the string 'bf61' [did "
      "you "
      "mean 'bf16'?]\n"
      "6:98 parallelism.tp must be at least 1, got 0\n");
  CHECK(
      mistakes("{name: a, set: {cluster.gpus: 2 * pp, cluster.gpu: 1, job.tokens: job.tokens}}") ==
      "6:44 parallelism.pp differs between candidates of the base scenario [a step reads fields that have one value]\n"
      "6:48 'cluster.gpu' is a section, not a value [name one of its fields, such as cluster.gpu.name]\n"
      "6:76 'job.tokens' is not set\n");
  CHECK(mistakes("{name: a, scale: {job.tokens: 2, job.precision: 2, tp: 2 s}}") ==
        "6:28 'job.tokens' is not set\n6:43 'job.precision' holds no number that could be scaled\n"
        "6:65 expected a plain number, got time\n");
  CHECK(mistakes("{years: 1.5, growth: {tp: 2}}") == "6:18 expected a whole number of years from 0 to 100\n");
  CHECK(mistakes("{years: 3}").starts_with("6:10 growth per year needs both 'years' and 'growth'"));
  CHECK(mistakes("[[a]]").starts_with("6:11 expected the name of a preset"));
  Reading none(kBase);
  CHECK(none.mistakes().starts_with("0:0 the scenario has no roadmap [add one, such as --set roadmap=flop-vs-bw; "));
}

TEST_CASE("presets answer to either spelling, and every one reads over any machine") {
  CHECK(named("comm-offload") == "comm_offload");
  CHECK(named("flop_vs_bw_2x") == "flop-vs-bw-2x");
  const auto names = dsl::catalog_names({.builtin = planner::builtin_catalog(), .directories = {}}, "roadmap");
  CHECK(names.size() >= 12);
  for (const std::string& name : names)
    for (const char* machine : {"dgx-a100-80gb", "mi210-flat-ring", "gb200-nvl72"}) {
      Reading r(kBase + "roadmap: " + name + "\n",
                {"cluster.use=" + std::string(machine), "software.attention=unfused"});
      INFO(name, " ", machine, "\n", r.mistakes());
      CHECK(r.roadmap.has_value());
    }
}

TEST_CASE("every figure of a preset has its source on its line") {
  int figures = 0;
  for (const std::string& name :
       dsl::catalog_names({.builtin = planner::builtin_catalog(), .directories = {}}, "roadmap")) {
    Reading r(kBase + "roadmap: " + name + "\n");
    REQUIRE(r.roadmap.has_value());
    for (const RoadmapStep& step : r.roadmap->steps)
      for (const planner::RoadmapSet& set : step.sets) {
        if (!std::holds_alternative<dsl::Number>(set.value.v)) continue;
        std::istringstream text(set.place.source->text);
        std::string line;
        for (int i = 0; i < set.place.line; ++i) std::getline(text, line);
        CHECK_MESSAGE(line.find(" # ") != std::string::npos, name, ": ", line);
        ++figures;
      }
  }
  CHECK(figures > 100);
}

TEST_CASE("generations have the figures of the catalogue's accelerators") {
  const std::pair<const char*, std::vector<const char*>> presets[] = {
      {"nvidia", {"v100-sxm2-32gb", "a100-sxm-80gb", "h100-sxm-80gb", "b200-180gb", "gb200-186gb", "gb300-288gb"}},
      {"amd", {"mi50-32gb", "mi100-32gb", "mi250-128gb", "mi300x-192gb"}}};
  for (const auto& [preset, devices] : presets) {
    Reading r(kBase + "roadmap: " + preset + "\n");
    REQUIRE(r.roadmap.has_value());
    REQUIRE(r.roadmap->steps.size() == devices.size());
    for (size_t i = 0; i < devices.size(); ++i) {
      const RoadmapStep& step = r.roadmap->steps[i];
      const dsl::Record device = sample::load(kBase, {"parallelism.pp=1", "software.attention=unfused",
                                                      "cluster.gpu.use=" + std::string(devices[i])})
                                     .record;
      for (const planner::RoadmapSet& set : step.sets) {
        if (!set.path.starts_with("cluster.gpu.")) continue;
        const char* said = devices[i];
        INFO(said, " ", set.path);
        const bool stands_in = set.path.ends_with("bf16") && device.find(set.path)->value.is_null();
        CHECK(set.value == device.find(stands_in ? "cluster.gpu.flops.fp16" : set.path)->value);
      }
      CHECK(std::string(devices[i]).starts_with(step.name));
    }
  }
}

TEST_CASE("a file of steps may stand beside the scenario, and a roadmap in what it extends") {
  TestFolder folder;
  folder.add("mine.yaml", "steps:\n  - name: more\n    set: {cluster.gpu.memory: 100 GB}\n");
  folder.add("wrong.yaml", "steps: 3\n");
  folder.add("empty.yaml", "# nothing\nother: 1\n");
  folder.add("parent.yaml", kBase + "roadmap: ./mine.yaml\n");
  const auto reading = [&](const std::string& text) {
    auto r = std::make_unique<Reading>(text, sample::Sets{}, folder.name());
    return r;
  };
  for (const char* name : {"mine", "mine.yaml", "./mine.yaml", "[mine]", "{hardware: mine}"}) {
    const auto r = reading(kBase + "roadmap: " + name + "\n");
    INFO(name, "\n", r->mistakes());
    REQUIRE(r->roadmap.has_value());
    CHECK(text_of(r->roadmap->steps.at(0).sets.at(0)) == "cluster.gpu.memory=100 GB");
  }
  CHECK(reading("extends: parent.yaml\n")->roadmap.has_value());
  CHECK(reading(kBase + "roadmap: wrong\n")->mistakes().starts_with("1:8 expected a list of steps"));
  CHECK(reading(kBase + "roadmap: empty\n")->mistakes().find("has no steps") != std::string::npos);
  CHECK(reading(kBase + "roadmap: ./none.yaml\n")->mistakes().find("no file") != std::string::npos);
}

TEST_CASE("--set takes a roadmap in place of the file's") {
  Reading r(kBase + "roadmap: flop-vs-bw\n", {"roadmap={name: mine, set: {tp: 4}}"});
  REQUIRE(r.roadmap.has_value());
  CHECK(r.roadmap->steps.size() == 1);
  CHECK(r.roadmap->steps[0].sets[0].place.source->name == "--set");
  Reading wrong(kBase, {"roadmap=[{name: mine, set: {tp: 4 s}}]"});
  CHECK(wrong.mistakes() == "1:33 expected a whole number for parallelism.tp, got 4 s [the field takes no unit]\n");
}

TEST_CASE("a roadmap has a limit of cells") {
  std::string models;
  for (int i = 0; i < 101; ++i) models += (i ? ", {name: m" : "{name: m") + std::to_string(i) + "}";
  CHECK(mistakes("{hardware: {years: 99, growth: {cluster.gpu.speedup: 1.1}}, models: [" + models + "]}") ==
        "6:10 the roadmap has more than 10000 cells\n");
}
