// Every software profile of the catalogue plans on a machine it ran on; a variant is its base but for what it writes.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "dsl/catalog.h"
#include "tests/planner/sample.h"

using planner::Plan;
using planner::Scenario;
using planner::Software;
using sample::near;
using sample::Sets;

namespace {

const dsl::BuiltinFile* profile(const std::string& name) {
  for (const dsl::BuiltinFile& file : planner::builtin_catalog())
    if (file.kind == "software" && file.name == name) return &file;
  return nullptr;
}

std::vector<std::string> profiles() {
  return dsl::catalog_names({.builtin = planner::builtin_catalog(), .directories = {}}, "software");
}

/// A machine and a precision that the software was made for.
struct Home {
  const char *cluster, *precision;
};
Home home(const std::string& name) {
  static const std::map<std::string, Home> all{
      {"ddp-apex", {"dgx-1", "fp16"}},
      {"megatron-2020", {"dgx-a100-80gb", "fp16"}},
      {"megatron-2021", {"dgx-a100-80gb", "fp16"}},
      {"megatron-deepspeed", {"opa-a100", "bf16"}},
      {"megatron-deepspeed-vtrain", {"ib-a100-800g", "fp16"}},
      {"internevo", {"roce-a800-4x100", "bf16"}},
      {"composer-fsdp", {"roce-a100-80gb", "bf16"}},
      {"composer-fsdp-pure", {"roce-a100-40gb", "bf16"}},
      {"torchtitan", {"hgx-h100-96gb", "bf16"}},
      {"torchtitan-compile", {"hgx-h100-96gb", "bf16"}},
      {"torchtitan-asynctp", {"hgx-h100-96gb", "bf16"}},
      {"simumax-megatron", {"dgx-b200", "bf16"}},
      {"maxtext-tpu", {"tpu-v5p-pod", "bf16"}},
      {"primus", {"mi300x-oam", "bf16"}},
  };
  const auto found = all.find(name);
  return found != all.end() ? found->second : Home{"dgx-h100", "bf16"};
}

dsl::Record record(const std::string& name, const Sets& sets = {}) {
  const Home at = home(name);
  Sets all{std::string("cluster={use: ") + at.cluster + ", gpus: 16}", std::string("job.precision=") + at.precision,
           "software={use: " + name + "}"};
  return sample::load(sample::kGpt, sample::operator+(all, sets)).record;
}

Scenario small(const std::string& name, const Sets& sets = {}) {
  const Home at = home(name);
  Sets all{std::string("cluster={use: ") + at.cluster + ", gpus: 16}", std::string("job.precision=") + at.precision,
           "software={use: " + name + "}"};
  if (sample::gpt(sample::operator+(all, sets)).software.fsdp) all.push_back("parallelism.zero=3");
  return sample::gpt(sample::operator+(all, sets));
}

/// Paths of the figures that a profile's own file writes.
void written(const dsl::Node& node, const std::string& path, std::set<std::string>& found) {
  if (node.kind == dsl::Node::Kind::scalar && path != "software.extends") found.insert(path);
  for (const dsl::Entry& entry : node.entries) written(entry.value, path + "." + entry.key, found);
}

std::string base_of(const dsl::Node& tree) {
  const dsl::Node* base = tree.find("extends");
  return base ? base->text : "";
}

}  // namespace

TEST_CASE("every software profile plans a small GPT on two nodes of its machine") {
  CHECK(profiles().size() >= 16);
  for (const std::string& name : profiles()) {
    CAPTURE(name);
    const Scenario s = small(name);
    CHECK(s.software.name == name);
    const Plan p = sample::plan(s);
    CHECK(p.feasible);
    CHECK(std::isfinite(p.step->seconds));
    CHECK(p.step->seconds > 0);
    CHECK(near(p.breakdown->sum(), p.step->seconds));
    CHECK(p.throughput->mfu > 0.001);
    CHECK(p.throughput->hfu < 1);
    CHECK(p.step->high_seconds < 2 * p.step->seconds);
    CHECK(p.memory->device.peak_bytes < p.memory->device.capacity_bytes);
  }
}

TEST_CASE("a profile names an attention kernel that its machine is calibrated for") {
  for (const std::string& name : profiles()) {
    const Scenario s = small(name);
    const bool known = s.software.attention == "unfused" || s.calibration.attention.contains(s.software.attention);
    CHECK_MESSAGE(known, name, ": ", s.software.attention);
  }
}

TEST_CASE("a variant differs from its base in what it writes and what follows from it alone") {
  int variants = 0;
  for (const std::string& name : profiles()) {
    const dsl::BuiltinFile* file = profile(name);
    REQUIRE(file);
    dsl::Source source{.name = name, .text = std::string(file->text), .directory = {}};
    dsl::Diagnostics diagnostics;
    const dsl::Node tree = dsl::parse_yaml(source, diagnostics);
    const std::string base = base_of(tree);
    if (base.empty()) continue;
    ++variants;
    CAPTURE(name);
    // They follow the gradient, the logits and the dispatcher.
    std::set<std::string> own{"software.memory.frozen", "software.memory.accumulator",
                              "software.memory.parallel_logits", "software.experts.wait"};
    written(tree, "software", own);
    // One machine and one kernel for both; which kernel a variant names is its own.
    const Sets same{"cluster={use: dgx-h100, gpus: 8}", "job.precision=bf16", "software.attention=unfused"};
    const dsl::Record variant = record(name, same), original = record(base, same);
    for (const auto& each : variant.slots) {
      const std::string& path = each.first;
      const dsl::Slot& slot = each.second;
      if (!path.starts_with("software.") || slot.field->type == dsl::Type::expression) continue;
      // Rows of a table may be its own, with the fields that they leave out.
      const dsl::Slot* of_base = original.find(path);
      if (!of_base) CHECK_MESSAGE((path.starts_with("software.errors.") || own.contains(path)), path);
      else if (!(slot.value.v == of_base->value.v) && !path.starts_with("software.errors."))
        CHECK_MESSAGE(own.contains(path), path);
    }
  }
  CHECK(variants >= 6);
}

TEST_CASE("bytes per parameter of a profile are those of a known recipe") {
  for (const std::string& name : profiles()) {
    const Software software = small(name).software;
    const planner::MemoryHabits& m = software.memory;
    CAPTURE(name);
    // Native mixed precision casts fp32 weights as it goes, TensorFlow computes with them; SGD has one state or none.
    const bool autocast = name == "ddp-amp" || name == "dlrm-graphs" || name.starts_with("tf-");
    // 16-bit states, or weights beside fp32 adapters.
    const bool narrow = name == "automodel" || name == "peft" || name == "unsloth" || name == "torchtune";
    const bool copies = name == "transformers-ddp";  // of autocast, and buckets beside the gradients
    CHECK(m.weight == (copies ? 6 : (software.fsdp && !narrow) || autocast ? 4 : 2));
    const double sum = m.weight + m.gradient + m.optimizer + m.optimizer_unsharded;
    CHECK(sum >= (autocast || narrow ? 8 : 14));
    CHECK(sum <= (autocast ? 16 : 22));
    CHECK((m.accumulator == 2 || m.accumulator == 4));
    CHECK(m.accumulator <= m.gradient);
    CHECK((software.reduce_bytes == 2 || software.reduce_bytes == 4));
    CHECK(software.gather_bytes == (autocast ? 4 : 2));
    CHECK(m.logits >= (name == "trl" ? 0.5 : 2));  // in chunks
    CHECK(m.fragmentation <= 1.2);
    CHECK(software.launch.value <=
          (name == "megatron-deepspeed-vtrain" ? 60e-6 : 14e-6));  // fitted to a table of small models
    // Accelerate reduces once a step.
    const std::set<std::string> once{"transformers", "peft", "peft-qlora", "trl", "axolotl", "unsloth"};
    if (software.fsdp) CHECK(software.reduce_each_microbatch != once.contains(name));
  }
}

TEST_CASE("switching off what a profile fuses never makes it faster") {
  for (const std::string& name : profiles()) {
    const Scenario base = small(name);
    const double seconds = sample::plan(base).step->seconds;
    bool planner::Fusion::*switches[] = {&planner::Fusion::softmax,  &planner::Fusion::bias_activation,
                                         &planner::Fusion::rope,     &planner::Fusion::bias_dropout_add,
                                         &planner::Fusion::norm,     &planner::Fusion::cross_entropy,
                                         &planner::Fusion::gradient, &planner::Fusion::gradient_cast,
                                         &planner::Fusion::heads,    &planner::Fusion::activation,
                                         &planner::Fusion::fan_out,  &planner::Fusion::recurrent};
    for (size_t i = 0; i < std::size(switches); ++i) {
      Scenario apart = base;
      apart.software.fusion.*switches[i] = false;
      CHECK_MESSAGE(sample::plan(apart).step->seconds >= seconds * (1 - 1e-9), name, " switch ", i);
    }
  }
}

TEST_CASE("compiling helps torchtitan, and asynchronous tensor parallelism helps where there are tensor ranks") {
  const auto seconds = [](const char* name, const char* tp) {
    Scenario s = small(name, {std::string("parallelism.tp=") + tp, "model.hidden=4096", "model.ffn=16384"});
    return sample::plan(s).step->seconds;
  };
  CHECK(seconds("torchtitan-compile", "1") < seconds("torchtitan", "1"));
  CHECK(near(seconds("torchtitan-asynctp", "1"), seconds("torchtitan-compile", "1")));
  CHECK(seconds("torchtitan-asynctp", "8") < seconds("torchtitan-compile", "8"));
}

TEST_CASE("a scenario that names no profile gets plain PyTorch, also under keys of its own") {
  const char* text =
      "model: {use: gpt3-125m}\njob: {sequence: 1024, global_batch: 8}\ncluster: {use: dgx-a100-80gb, gpus: 8}\n";
  const Scenario named = sample::scenario(std::string(text) + "software: {use: other}\n");
  const Scenario silent = sample::scenario(text);
  const Scenario set = sample::scenario(text, {"software.memory.fragmentation=1.02"});
  const Scenario written = sample::scenario(std::string(text) + "software: {memory: {fragmentation: 1.02}}\n");
  for (const Scenario& s : {silent, set, written}) {
    CHECK(s.software.name == "other");
    CHECK(s.software.attention == named.software.attention);
    CHECK(sample::plan(s).step->seconds == sample::plan(named).step->seconds);
  }
  CHECK(silent.software.memory.fragmentation == named.software.memory.fragmentation);
  CHECK(set.software.memory.fragmentation == 1.02);
  CHECK(written.software.memory.fragmentation == 1.02);
}
