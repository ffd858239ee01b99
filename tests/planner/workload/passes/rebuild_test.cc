// Whatever a recompute policy drops of a layer, operators that run again rebuild, and nothing else runs again: every
// model of the catalogue, kernels fused and apart, every policy.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "planner/workload/passes/recompute.h"
#include "tests/planner/workload/lower/mixtures.h"

using planner::Block;
using planner::BlockKind;
using planner::Role;
using planner::Saved;
using planner::SavedRole;
using planner::Scenario;
using planner::Selective;
using planner::StepPhase;
using planner::Workload;
using planner::WorkOp;
using sample::Sets;

namespace {

using Policy = std::optional<Selective>;  // none: full recompute

std::vector<Policy> policies() {
  std::vector<Policy> all{std::nullopt};
  for (size_t i = 0; i < planner::kSelectiveNames.size(); ++i) all.emplace_back(static_cast<Selective>(i));
  return all;
}
std::string name_of(Policy p) { return p ? planner::kSelectiveNames[static_cast<size_t>(*p)] : "full"; }

/// Policies that name the tensors to drop; the others keep a few tensors of a layer and repeat the rest.
bool of_modules(Policy p) {
  planner::Software software;
  if (p) software.selective = {*p};
  return p && !planner::layer_policy(software);
}

Scenario apart(Scenario s) {
  planner::Fusion& f = s.software.fusion;
  for (bool planner::Fusion::*kernel :
       {&planner::Fusion::qkv, &planner::Fusion::softmax, &planner::Fusion::bias_activation,
        &planner::Fusion::bias_dropout_add, &planner::Fusion::rope, &planner::Fusion::norm,
        &planner::Fusion::activation, &planner::Fusion::heads})
    f.*kernel = false;
  s.software.attention = "unfused";
  return s;
}

Scenario with(Scenario s, Policy p) {
  s.parallelism.recompute = p ? planner::Recompute::selective : planner::Recompute::full;
  if (p) s.software.selective = {*p};
  return s;
}

bool is_same(const Saved& a, const Saved& b) { return a.role == b.role && a.routed == b.routed; }
double bytes_like(const Block& block, const Saved& tensor) {
  double bytes = 0;
  for (const Saved& saved : block.saved) bytes += is_same(saved, tensor) ? saved.bytes : 0;
  return bytes;
}

std::vector<Saved> dropped(const Block& all, const Block& kept) {
  std::vector<Saved> lost;
  for (const Saved& saved : all.saved)
    if (bytes_like(kept, saved) < bytes_like(all, saved) * (1 - 1e-9)) lost.push_back(saved);
  return lost;
}

double calls(const Block& block, const Saved& of, StepPhase phase) {
  double n = 0;
  for (const WorkOp& op : block.ops)
    if (op.phase == phase && !op.of_weights && planner::makes(op, of)) n += 1;
  return n;
}

/// Where the results of the projections are kept, they are what a norm of the heads reads.
bool is_kept_projection(const Block& block, const Saved& tensor) {
  return tensor.role == SavedRole::heads_unnormed &&
         std::ranges::find(block.saved, SavedRole::query, &Saved::role) != block.saved.end();
}
/// The layer's input comes from outside: policies keep it, one for several layers.
bool is_kept_input(const Block& block, const Saved& tensor) {
  return tensor.role == SavedRole::layer_input && block.kind == BlockKind::layer && bytes_like(block, tensor) > 0;
}

void check_rebuilt(const Block& all, const Block& some) {
  for (const Saved& lost : dropped(all, some)) {
    if (is_kept_projection(some, lost) || is_kept_input(some, lost)) continue;
    CHECK_MESSAGE(calls(some, lost, StepPhase::forward) > 0, lost.name, ": nothing makes it");
    CHECK_MESSAGE(calls(some, lost, StepPhase::recompute) == calls(some, lost, StepPhase::forward), lost.name);
  }
}

/// Part of a module that is one function to the frameworks that repeat it.
bool is_of_whole(const Scenario& s, const Block& block, const WorkOp& op) {
  return std::ranges::any_of(planner::recompute_modules(), [&](const auto& m) {
    return planner::repeats(s.software, m.name) && planner::holds_whole(m, block, op);
  });
}

void check_wanted(const Scenario& s, const Block& all, const Block& some, bool modules) {
  const std::vector<Saved> lost = dropped(all, some);
  for (const WorkOp& op : some.ops) {
    if (op.phase != StepPhase::recompute) continue;
    CHECK_MESSAGE(!lost.empty(), op.name, ": nothing is dropped");
    const bool makes = std::ranges::any_of(lost, [&](const Saved& t) { return planner::makes(op, t); });
    if (modules) CHECK_MESSAGE((makes || is_of_whole(s, some, op)), op.name, ": nobody needs it");
  }
}

void check(const Scenario& s) {
  const Workload all = planner::build_blocks(s);
  for (const Policy& p : policies()) {
    INFO(name_of(p));
    const Scenario repeating = with(s, p);
    const Workload some = planner::build_blocks(repeating);
    for (size_t i = 0; i < all.blocks.size(); ++i) {
      INFO(all.blocks[i].name);
      check_rebuilt(all.blocks[i], some.blocks[i]);
      check_wanted(repeating, all.blocks[i], some.blocks[i], of_modules(p));
    }
  }
}

Scenario of_catalogue(const std::string& name) {
  return sample::scenario("model: {use: " + name +
                          "}\njob: {sequence: 512, global_batch: 8}\n"
                          "cluster: {use: dgx-h100, gpus: 8}\n");
}

std::vector<std::string> models() {
  return dsl::catalog_names({.builtin = planner::builtin_catalog(), .directories = {}}, "model");
}

const Sets kMixtureOf[] = {
    {"model.mtp=1"},
    {"model.mtp=1", "parallelism.ep=8", "software.experts.keeps_output=true"},
    {"parallelism.ep=16", "software.experts.dispatch=all-gather"},
    {"model.gated_mlp=false", "model.activation=gelu", "parallelism.tp=2", "parallelism.sequence_parallel=true"},
    {"job.precision=fp8", "cluster={use: dgx-h100, gpus: 32}", "model.experts.shared_gate=true"},
    {"model.dropout=0.1", "model.post_norm=true", "model.qk_norm=true"},
    {"job.lora.rank=16", "job.lora.targets=all"},
    {"model.latent.rank=128", "model.latent.query_rank=256", "model.latent.rotary_dim=32", "model.latent.value_dim=64",
     "model.kv_heads=16", "model.mtp=1", "job.lora.rank=8"},
};
const Sets kDenseOf[] = {
    {"model.parallel_block=true"},
    {"model.dropout=0.1", "model.bias=true", "model.post_norm=true"},
    {"model.qk_norm=true", "software.memory.keeps_unread=false"},
    {"software.recompute_stops=true", "model.gated_mlp=false", "model.activation=gelu"},
    {"job.lora.rank=16", "parallelism.tp=4", "parallelism.sequence_parallel=true"},
    {"parallelism.cp=2", "software.context=all-to-all"},
    {"parallelism.cp=2", "software.context=ring"},
};

}  // namespace

TEST_CASE("what a policy drops of any model of the catalogue is rebuilt, and nothing is made that was kept") {
  for (const std::string& name : models()) {
    CAPTURE(name);
    const Scenario s = of_catalogue(name);
    check(s);
    check(apart(s));
  }
}

TEST_CASE("what a policy drops of a mixture or a dense layer is rebuilt under every layout and habit") {
  for (const Sets& sets : kMixtureOf) {
    CAPTURE(sets.front());
    check(mixtures::mixture(sets));
    check(apart(mixtures::mixture(sets)));
  }
  for (const Sets& sets : kDenseOf) {
    CAPTURE(sets.front());
    check(sample::llama(sets));
    check(apart(sample::llama(sets)));
  }
}

TEST_CASE("every operator and every kept tensor of a layer has a role") {
  for (const std::string& name : models()) {
    CAPTURE(name);
    for (const Scenario& s : {of_catalogue(name), apart(of_catalogue(name))})
      for (const Block& block : planner::build_blocks(s).blocks) {
        for (const WorkOp& op : block.ops) CHECK_MESSAGE(op.role != Role::none, op.name);
        for (const Saved& saved : block.saved) CHECK_MESSAGE(saved.role != SavedRole::none, saved.name);
      }
  }
}

TEST_CASE("unfused GeLU of experts runs again where its results are dropped") {
  const Sets unfused{"model.gated_mlp=false", "model.activation=gelu", "software.fusion.activation=false"};
  const Sets policy{"software.selective=expert-activation", "parallelism.recompute=selective"};
  using sample::operator+;
  const Workload none = sample::workload(mixtures::mixture(unfused)),
                 some = sample::workload(mixtures::mixture(unfused + policy));
  // Four bytes of terms and two of the result for each element.
  const double results = mixtures::kTokens * mixtures::kTopK * 512;
  CHECK(mixtures::expert_layer(none).saved_bytes() - mixtures::expert_layer(some).saved_bytes() == 6 * results);
  double kernels = 0;
  for (const WorkOp& op : mixtures::expert_layer(some).ops) {
    if (op.phase != StepPhase::recompute) continue;
    CHECK(op.routed);
    kernels += op.count;
  }
  CHECK(kernels == 5);
}
