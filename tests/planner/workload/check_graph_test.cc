// The edges of a workload after each pass: over models, layouts and habits of the software, and of the shipped
// scenarios; and that a workload whose edges are wrong is found out.
#include "planner/workload/check_graph.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "planner/search/search.h"
#include "tests/planner/search/open_sample.h"
#include "tests/planner/workload/lower/mixtures.h"

using planner::Block;
using planner::Scenario;
using planner::StepPhase;
using planner::Workload;
using planner::WorkOp;
using sample::Sets;
using sample::operator+;

namespace {

/// The first pass behind which an edge is wrong, and which; "": none is.
std::string first_fault(const Scenario& s) {
  Workload w = planner::lower(s);
  std::string pass = "lower";
  const auto fault = [&]() -> std::string {
    const auto faults = planner::graph_faults(w);
    return faults.empty() ? "" : pass + ": " + faults.front();
  };
  if (const std::string found = fault(); !found.empty()) return found;
  for (const planner::PassRow& row : planner::passes()) {
    row.apply(s, w);
    pass = row.name;
    if (const std::string found = fault(); !found.empty()) return found;
  }
  return "";
}

const std::vector<Sets> kLayouts{
    {},
    {"parallelism.tp=2"},
    {"parallelism.tp=2", "parallelism.sequence_parallel=true"},
    {"parallelism.tp=4", "parallelism.sequence_parallel=true", "software.overlap.tensor=true"},
    {"parallelism.tp=4", "parallelism.sequence_parallel=true", "software.overlap.tensor_backward=true"},
    {"parallelism.tp=4", "software.fused_collectives=ideal"},
    {"parallelism.tp=4", "parallelism.sequence_parallel=true", "software.fused_collectives=ideal"},
    {"parallelism.tp=4", "software.fused_collectives=cu-split"},
    {"parallelism.cp=2", "software.attention=flash2"},
    {"parallelism.cp=2", "software.attention=flash2", "software.context=all-to-all", "parallelism.tp=2"},
    {"parallelism.zero=3"},
    {"parallelism.zero=3", "software.unit_bytes=8", "parallelism.tp=2"},
    {"parallelism.zero=2"},
    {"parallelism.pp=2", "parallelism.zero=1"},
    {"parallelism.zero=3", "parallelism.offload.weights=0.5", "parallelism.offload.activations=0.5"},
    {"parallelism.offload.optimizer=1", "parallelism.tp=2"},
    {"job.phase=forward", "parallelism.tp=2", "parallelism.sequence_parallel=true"},
};

const std::vector<Sets> kHabits{
    {},
    {"software.fusion.qkv=false"},
    {"software.fusion.activation=false", "software.fusion.bias_activation=false"},
    {"software.attention=unfused"},
    {"software.fusion.heads=false"},
    {"software.attention=unfused", "software.fusion.softmax=false", "software.fusion.heads=false",
     "software.fusion.bias_dropout_add=false", "software.fusion.gradient=false"},
    {"software.fusion.vector=true"},
    {"software.fusion.dropout=false", "software.attention=unfused"},
    {"software.metric_bytes=4"},
};

const std::vector<Sets> kRecompute{
    {},
    {"parallelism.recompute=full"},
    {"parallelism.recompute=selective", "software.selective=core-attention"},
    {"parallelism.recompute=selective", "software.selective=every-second-layer"},
    {"parallelism.recompute=selective", "software.selective=every-second-matmul"},
    {"parallelism.recompute=selective", "software.selective=mlp-and-norm"},
    {"parallelism.recompute=selective", "software.selective=all-but-qkv"},
    {"parallelism.recompute=selective", "software.selective=all-but-products"},
    {"parallelism.recompute=selective", "software.selective=[mlp, norm]"},
    {"parallelism.recompute=selective", "software.selective=[experts, latent-up, core-attention]"},
    {"parallelism.recompute=selective", "software.selective=[shared-experts, expert-activation, inner-norm]"},
};

/// Those that the layout rules let through.
int check_all(const std::string& text, const Sets& model, const std::vector<Sets>& habits) {
  int checked = 0;
  for (const Sets& layout : kLayouts)
    for (const Sets& habit : habits)
      for (const Sets& recompute : kRecompute) {
        const Sets sets = model + layout + habit + recompute;
        const Scenario s = sample::scenario(text, sets);
        if (!planner::layout_violations(s).empty()) continue;
        ++checked;
        std::string all;
        for (const std::string& set : sets) all += set + " ";
        CHECK_MESSAGE(first_fault(s).empty(), all, first_fault(s));
      }
  return checked;
}

TEST_CASE("every edge holds after every pass, for dense models") {
  CHECK(check_all(sample::kGpt, {}, kHabits) > 200);
  CHECK(check_all(sample::kLlama, {}, kHabits) > 200);
  CHECK(check_all(sample::kLlama, {"model.parallel_block=true", "model.qk_norm=true"},
                  {{}, {"software.fusion.qkv=false"}}) > 50);
  CHECK(check_all(sample::kLlama, {"job.precision=fp8", "cluster.use=dgx-h100"}, {{}, {"software.fusion.norm=false"}}) >
        50);
  CHECK(check_all(sample::kLlama, {"job.lora.rank=16", "job.lora.targets=all"}, {{}, {"software.fusion.qkv=false"}}) >
        50);
}

TEST_CASE("every edge holds after every pass, for mixtures of experts") {
  const std::vector<Sets> models{
      {},
      {"parallelism.ep=4"},
      {"parallelism.ep=16"},
      {"parallelism.ep=4", "software.experts.dispatch=per-node"},
      {"parallelism.ep=8", "software.experts.dispatch=all-gather", "software.experts.overlap_shared=true"},
      {"parallelism.ep=4", "parallelism.etp=2"},
      {"parallelism.ep=4", "model.mtp=1"},
      {"parallelism.ep=4", "model.latent.rank=256", "model.latent.query_rank=512", "model.latent.rotary_dim=64",
       "model.latent.value_dim=128"},
      {"model.experts.shared_gate=true"},
      {"parallelism.ep=4", "parallelism.etp=2", "job.lora.rank=16", "job.lora.targets=all"}};
  int checked = 0;
  for (const Sets& model : models) checked += check_all(mixtures::kMixture, model, {{}});
  CHECK(checked > 200);
}

TEST_CASE("every edge holds after every pass of the shipped scenarios") {
  int checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TRAINPLAN_SOURCE_DIR "/scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    dsl::Diagnostics diagnostics;
    const auto open = sample::try_open(text.str(), {}, diagnostics, entry.path().parent_path());
    REQUIRE(open.has_value());
    if (!planner::choice_names(open->space).empty()) continue;
    for (const Sets& more : {Sets{}, Sets{"parallelism.recompute=full"}, Sets{"parallelism.recompute=selective"}}) {
      const Scenario s = sample::load(text.str(), more, entry.path().parent_path()).scenario;
      if (!planner::layout_violations(s).empty()) continue;
      ++checked;
      CHECK_MESSAGE(first_fault(s).empty(), entry.path().stem().string(), " ", first_fault(s));
    }
  }
  CHECK(checked > 30);
}

int find(const Block& block, const char* name, StepPhase phase) {
  for (size_t i = 0; i < block.ops.size(); ++i)
    if (block.ops[i].name.str() == name && block.ops[i].phase == phase) return static_cast<int>(i);
  FAIL(name);
  return -1;
}
WorkOp& op(Block& block, const char* name, StepPhase phase = StepPhase::forward) {
  return block.ops[static_cast<size_t>(find(block, name, phase))];
}

struct Damage {
  const char* what;
  void (*damage)(Block&);
  const char* fault;
};
const std::vector<Damage> kDamages{
    {"a lost producer", [](Block& b) { op(b, "mlp.fc2").inputs.clear(); }, "mlp.fc2 (forward) has no producer"},
    {"a producer that is not there", [](Block& b) { op(b, "mlp.fc2").inputs = {4711}; },
     "mlp.fc2 (forward) has a producer that is not in the block"},
    {"a producer of another phase",
     [](Block& b) { op(b, "mlp.fc2").inputs = {find(b, "mlp.fc2.dgrad", StepPhase::backward)}; },
     "mlp.fc2 (forward) reads mlp.fc2.dgrad of another phase"},
    {"a producer twice", [](Block& b) { op(b, "mlp.fc2").inputs.push_back(op(b, "mlp.fc2").inputs.front()); },
     "mlp.fc2 (forward) reads a producer twice"},
    {"a circle", [](Block& b) { op(b, "mlp.norm").inputs = {find(b, "mlp.fc2", StepPhase::forward)}; }, "has a circle"},
    {"a collective that nobody reads",
     [](Block& b) {
       const int reduce = find(b, "mlp.fc2.all-reduce", StepPhase::forward);
       for (WorkOp& w : b.ops)
         for (int& input : w.inputs)
           if (input == reduce) input = find(b, "mlp.fc2", StepPhase::forward);
     },
     "mlp.fc2.all-reduce (forward) has no consumer"},
    {"a cover that computes nothing",
     [](Block& b) {
       op(b, "mlp.fc2.all-reduce").hide = planner::Hide::cover;
       op(b, "mlp.fc2.all-reduce").cover = find(b, "mlp.fc2.all-reduce", StepPhase::forward);
     },
     "mlp.fc2.all-reduce (forward) hides under nothing that computes"},
    {"members of a group in a row", [](Block& b) { op(b, "mlp.fc1").independent = op(b, "mlp.fc2").independent = 7; },
     "mlp.fc2 (forward) is not independent of mlp.fc1"},
    {"a gradient of no forward operator",
     [](Block& b) {
       op(b, "mlp.fc2.dgrad", StepPhase::backward).forward = find(b, "mlp.fc1.dgrad", StepPhase::backward);
     },
     "mlp.fc2.dgrad (backward) names a forward operator that is none"},
    {"a repetition that skips what was dropped",
     [](Block& b) {
       op(b, "mlp.fc1", StepPhase::recompute).inputs = {find(b, "attention.norm", StepPhase::recompute)};
     },
     "mlp.fc1 (recompute) is repeated without mlp.norm"},
    {"a repetition of the input that nobody kept",
     [](Block& b) { op(b, "attention.norm", StepPhase::recompute).inputs = {planner::kInput}; },
     "attention.norm (recompute) reads an input that nobody kept"},
    {"kept tensors of a block that keeps none", [](Block& b) { b.saved.clear(); },
     "attention.norm (recompute) is rebuilt from a block that keeps nothing"},
};

TEST_CASE("a workload whose edges are wrong is found out") {
  const Workload good = sample::workload(sample::gpt({"parallelism.tp=2", "parallelism.recompute=full"}));
  REQUIRE(planner::graph_faults(good).empty());
  for (const Damage& row : kDamages) {
    Workload bad = good;
    row.damage(bad.layer());
    const auto faults = planner::graph_faults(bad);
    CAPTURE(row.what);
    REQUIRE(!faults.empty());
    CHECK(std::ranges::find(faults, "layer: " + std::string(row.fault)) != faults.end());
    CHECK(faults.front() == "layer: " + std::string(row.fault));
  }
}

}  // namespace
