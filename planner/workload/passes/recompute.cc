// Activation recomputation: what is dropped after forward and run again before backward.
//
// none: everything saved. selective: the software's policy (Korthikanti et al. 2022, section 5: the
// core of unfused attention). full: each unit keeps its input and runs forward again (Chen et al. 2016).
#include "planner/workload/passes/recompute.h"

#include <algorithm>
#include <iterator>
#include <variant>

#include "planner/workload/passes/passes.h"
#include "planner/workload/passes/rebuilt.h"

namespace planner {
namespace {

// Of a prediction layer: a policy is about the layer inside it.
bool of_ends(const WorkOp& w) { return w.sublayer == Sublayer::embedding || w.sublayer == Sublayer::head; }

// Runs forward operators again; `times` says how often each (0: not at all). Casts of weights are kept.
template <class Times> void repeat(Block& block, Times times) {
  const size_t n = block.ops.size();
  std::vector<int> again(n, kKept);  // where each is repeated
  for (size_t i = 0; i < n; ++i) {
    if (block.ops[i].phase != StepPhase::forward || block.ops[i].of_weights || of_ends(block.ops[i])) continue;
    const double count = times(block.ops[i]);
    if (count == 0) continue;
    WorkOp w = block.ops[i];
    w.phase = StepPhase::recompute;
    w.count *= count;
    w.forward = static_cast<int>(i);
    w.result = false;
    again[i] = static_cast<int>(block.ops.size());
    block.ops.push_back(std::move(w));
  }
  read_again(block, again);
}

// Forgets what `dropped` names; it is live again while one layer is repeated.
template <class Dropped> void drop(Block& layer, Dropped dropped) {
  layer.recompute_working_set = 0;
  for (const Saved& saved : layer.saved) layer.recompute_working_set += dropped(saved) ? saved.bytes : 0;
  std::erase_if(layer.saved, dropped);
}

// What comes behind the last tensor that the backward pass of a dense layer reads: the second matrix of the MLP, the
// sum of its parts among tensor ranks, the residual. A runtime that hands tensors to the backward pass as it makes them
// (PyTorch's checkpoint without reentry), or a compiler that drops unread results (XLA), does not repeat it.
bool is_read(const Scenario& s, const Block& layer, const WorkOp& w) {
  const bool ends_there = s.software.recompute_stops && s.model.dropout == 0 && !s.model.post_norm &&
                          !s.model.parallel_block && !layer.layer.experts && s.job.lora.rank == 0;
  return !ends_there || (w.role != Role::fc2 && w.role != Role::mlp_residual);
}

// One input for so many layers.
Saved kept_input(const Block& layer, double layers) {
  return {.name = "layer.input",
          .role = SavedRole::layer_input,
          .bytes = layer.input_bytes / layers,
          .split = layer.input_split};
}

void full(const Scenario& s, Block& layer) {
  const double every = static_cast<double>(s.parallelism.recompute_every);
  layer.recompute_working_set = every * layer.saved_bytes();
  repeat(layer, [&](const WorkOp& w) { return is_read(s, layer, w) ? 1.0 : 0.0; });
  layer.saved = {kept_input(layer, every)};
}

void every_second_layer(Block& layer) {
  layer.recompute_working_set = layer.saved_bytes();
  repeat(layer, [](const WorkOp&) { return 0.5; });
  for (Saved& saved : layer.saved) saved.bytes /= 2;
  layer.saved.push_back(kept_input(layer, 2));
}

bool is_of(const Scenario& s, const RecomputeModule& module, bool routed) {
  switch (module.of) {
    case RecomputeModule::Of::all:
      return true;
    case RecomputeModule::Of::latents:
      return s.model.latent.rank > 0;
    case RecomputeModule::Of::routed:
      return routed;
    case RecomputeModule::Of::unrouted:
      return !routed;
  }
  return false;
}

// The modules of the policy, each dropped and run again by the roles of its row.
void by_modules(const Scenario& s, Block& layer) {
  const auto in_some = [&](auto roles, auto role, bool routed) {
    return std::ranges::any_of(recompute_modules(), [&](const RecomputeModule& m) {
      return m.policy == s.software.selective && is_of(s, m, routed) &&
             std::ranges::find(m.*roles, role) != (m.*roles).end();
    });
  };
  drop(layer, [&](const Saved& t) { return in_some(&RecomputeModule::drops, t.role, t.routed); });
  repeat(layer, [&](const WorkOp& w) { return in_some(&RecomputeModule::repeats, w.role, w.routed) ? 1.0 : 0.0; });
}

/// A product itself, not the cast of an operand or a collective beside it; nor that of an adapter.
bool is_own_product(const WorkOp& w) { return w.product > 0 && !w.adapter; }

bool is_projection(const WorkOp& w) {
  return is_own_product(w) &&
         (w.role == Role::qkv || w.role == Role::query || w.role == Role::key || w.role == Role::value);
}

bool is_projected(const Saved& saved) {
  return saved.role == SavedRole::query || saved.role == SavedRole::key || saved.role == SavedRole::value;
}

void all_but_qkv(const Scenario& s, Block& layer) {
  layer.recompute_working_set = layer.saved_bytes();
  repeat(layer, [&](const WorkOp& w) { return !is_projection(w) && is_read(s, layer, w) ? 1.0 : 0.0; });
  std::erase_if(layer.saved, [](const Saved& saved) { return !is_projected(saved); });
  layer.saved.push_back(kept_input(layer, 1));
}

// torchtitan's "op" policy keeps the results of fused attention and of every second matrix product in program
// order - wq, wv, w1 and w2 of a LLaMA layer - and repeats wk, wo, w3 and every other kernel.
double repeated_share(const Scenario& s, const WorkOp& w) {
  if (std::holds_alternative<operator_models::Vector>(w.op)) return 1;
  if (std::holds_alternative<operator_models::Collective>(w.op)) return 0.5;
  if (!is_own_product(w)) return 0;
  if (w.role == Role::attention_output || w.role == Role::key) return 1;
  if (w.role == Role::qkv) {
    const double kv = static_cast<double>(s.model.kv_heads);
    return kv / (static_cast<double>(s.model.heads) + 2 * kv);
  }
  if (w.role == Role::fc1 && w.sublayer == Sublayer::mlp) return s.model.gated_mlp ? 0.5 : 1;
  return 0;
}

double kept_share(const Saved& saved) {
  switch (saved.role) {
    case SavedRole::query:
    case SavedRole::value:
    case SavedRole::context:
    case SavedRole::log_sum_exp:
      return 1;
    case SavedRole::hidden:
      return 0.5;
    default:
      return 0;
  }
}

void every_second_matmul(const Scenario& s, Block& layer) {
  layer.recompute_working_set = layer.saved_bytes();
  repeat(layer, [&s](const WorkOp& w) { return repeated_share(s, w); });
  // The layer's input and w2's result, which no backward pass reads.
  double kept = (s.software.memory.keeps_unread ? 2 : 1) * layer.input_bytes;
  for (const Saved& saved : layer.saved) kept += kept_share(saved) * saved.bytes;
  layer.saved = {{.name = "layer.kept", .bytes = kept, .split = layer.input_split}};
}

void repeat_layer(const Scenario& s, Block& layer) {
  if (s.parallelism.recompute == Recompute::full) return full(s, layer);
  switch (s.software.selective) {
    case Selective::every_second_layer:
      return every_second_layer(layer);
    case Selective::every_second_matmul:
      return every_second_matmul(s, layer);
    case Selective::all_but_qkv:
      return all_but_qkv(s, layer);
    case Selective::core_attention:
    case Selective::mlp_and_norm:
    case Selective::latent_up:
    case Selective::expert_activation:
    case Selective::latent_up_and_cheap:
      return by_modules(s, layer);
  }
}

// What the ends of a prediction layer keep.
bool is_of_end(const Saved& saved) {
  return saved.role == SavedRole::final_states || saved.role == SavedRole::head_input;
}

}  // namespace

void apply_recompute(const Scenario& s, Workload& w) {
  if (s.job.phase == Phase::forward || s.parallelism.recompute == Recompute::none) return;
  for (Block& block : w.blocks) {
    if (block.kind != BlockKind::layer && block.kind != BlockKind::prediction) continue;
    std::vector<Saved> kept;
    std::ranges::copy_if(block.saved, std::back_inserter(kept), is_of_end);
    std::erase_if(block.saved, is_of_end);
    repeat_layer(s, block);
    block.saved.insert(block.saved.end(), kept.begin(), kept.end());
  }
}

}  // namespace planner
