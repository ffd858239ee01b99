// Activation recomputation: what is dropped after forward and run again before backward.
//
// none: everything saved. selective: the software's policy (Korthikanti et al. 2022, section 5: the
// core of unfused attention). full: each unit keeps its input and runs forward again (Chen et al. 2016).
#include <algorithm>
#include <iterator>
#include <variant>

#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

// Of a prediction layer: a policy is about the layer inside it.
bool of_ends(const WorkOp& w) { return w.sublayer == Sublayer::embedding || w.sublayer == Sublayer::head; }

// Runs forward operators again; `times` says how often each (0: not at all). Casts of weights are kept.
template <class Times> void repeat(Block& block, Times times) {
  const size_t n = block.ops.size();
  for (size_t i = 0; i < n; ++i) {
    if (block.ops[i].phase != StepPhase::forward || block.ops[i].of_weights || of_ends(block.ops[i])) continue;
    const double count = times(block.ops[i]);
    if (count == 0) continue;
    WorkOp again = block.ops[i];
    again.phase = StepPhase::recompute;
    again.count *= count;
    block.ops.push_back(std::move(again));
  }
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
  return !ends_there ||
         (!w.name.starts_with("mlp.fc2") && w.name != "mlp.dropout-add" && w.name != "mlp.bias" && w.name != "mlp.add");
}

void full(const Scenario& s, Block& layer) {
  const double every = static_cast<double>(s.parallelism.recompute_every);
  layer.recompute_working_set = every * layer.saved_bytes();
  repeat(layer, [&](const WorkOp& w) { return is_read(s, layer, w) ? 1.0 : 0.0; });
  layer.saved = {{.name = "layer.input", .bytes = layer.input_bytes / every, .split = layer.input_split}};
}

void core_attention(Block& layer) {
  drop(layer, [](const Saved& saved) { return saved.core_attention; });
  repeat(layer, [](const WorkOp& w) { return w.core_attention ? 1.0 : 0.0; });
}

void every_second_layer(Block& layer) {
  layer.recompute_working_set = layer.saved_bytes();
  repeat(layer, [](const WorkOp&) { return 0.5; });
  for (Saved& saved : layer.saved) saved.bytes /= 2;
  layer.saved.push_back({.name = "layer.input", .bytes = layer.input_bytes / 2, .split = layer.input_split});
}

// Up-projections, rotation and joining run again from the kept latents.
bool is_head(const Saved& saved) {
  return saved.name == "attention.query" || saved.name == "attention.key" || saved.name == "attention.value";
}
bool makes_heads(const WorkOp& w) {
  return w.name.starts_with("attention.q-up") || w.name.starts_with("attention.kv-up") || w.name == "attention.rope" ||
         w.name == "attention.join";
}

void latent_up(const Scenario& s, Block& layer) {
  if (s.model.latent.rank == 0) return;  // no latents to make them from
  drop(layer, is_head);
  repeat(layer, [](const WorkOp& w) { return makes_heads(w) ? 1.0 : 0.0; });
}

// Norms and activations; the product with the gate where that is a kernel of its own.
bool is_cheap(const WorkOp& w) {
  const auto* v = std::get_if<operator_models::Vector>(&w.op);
  return v &&
         (v->kind == operator_models::VectorKind::activation || v->kind == operator_models::VectorKind::normalization ||
          w.name.ends_with(".gate") || w.name.starts_with("mlp.activation."));
}

void mlp_and_norm(Block& layer) {
  drop(layer, [](const Saved& saved) { return saved.mlp_or_norm; });
  repeat(layer, [](const WorkOp& w) { return is_cheap(w) ? 1.0 : 0.0; });
}

// What a norm or an activation writes, and the linear layers behind it read.
bool follows_cheap(const Saved& saved) {
  return saved.mlp_or_norm || saved.name == "attention.input" || saved.name == "router.input" ||
         saved.name == "mlp.input" || saved.name == "shared.input" || saved.name == "attention.q-norm.output" ||
         saved.name == "attention.kv-norm.output";
}

void latent_up_and_cheap(const Scenario& s, Block& layer) {
  const bool latent = s.model.latent.rank > 0;
  drop(layer, [=](const Saved& saved) { return (latent && is_head(saved)) || follows_cheap(saved); });
  repeat(layer, [=](const WorkOp& w) { return (latent && makes_heads(w)) || is_cheap(w) ? 1.0 : 0.0; });
}

// Where the product with the gate is a kernel of its own, that one too.
void expert_activation(Block& layer) {
  drop(layer, [](const Saved& saved) { return saved.name == "experts.output" || saved.name == "experts.activation"; });
  repeat(layer, [](const WorkOp& w) { return w.name == "experts.activation" || w.name == "experts.gate" ? 1.0 : 0.0; });
}

bool is_projection(const std::string& name) {
  return name == "attention.qkv" || name == "attention.q" || name == "attention.k" || name == "attention.v" ||
         name == "attention.query" || name == "attention.key" || name == "attention.value";
}

void all_but_qkv(const Scenario& s, Block& layer) {
  layer.recompute_working_set = layer.saved_bytes();
  repeat(layer, [&](const WorkOp& w) { return !is_projection(w.name) && is_read(s, layer, w) ? 1.0 : 0.0; });
  std::erase_if(layer.saved, [](const Saved& saved) { return !is_projection(saved.name); });
  layer.saved.push_back({.name = "layer.input", .bytes = layer.input_bytes, .split = layer.input_split});
}

// torchtitan's "op" policy keeps the results of fused attention and of every second matrix product in program
// order - wq, wv, w1 and w2 of a LLaMA layer - and repeats wk, wo, w3 and every other kernel.
double repeated_share(const Scenario& s, const WorkOp& w) {
  if (std::holds_alternative<operator_models::Vector>(w.op)) return 1;
  if (w.name == "attention.projection" || w.name == "attention.k") return 1;
  if (w.name == "attention.qkv") {
    const double kv = static_cast<double>(s.model.kv_heads);
    return kv / (static_cast<double>(s.model.heads) + 2 * kv);
  }
  if (w.name == "mlp.fc1") return s.model.gated_mlp ? 0.5 : 1;
  return std::holds_alternative<operator_models::Collective>(w.op) ? 0.5 : 0;
}

void every_second_matmul(const Scenario& s, Block& layer) {
  layer.recompute_working_set = layer.saved_bytes();
  repeat(layer, [&s](const WorkOp& w) { return repeated_share(s, w); });
  // The layer's input and w2's result, which no backward pass reads.
  double kept = (s.software.memory.keeps_unread ? 2 : 1) * layer.input_bytes;
  for (const Saved& saved : layer.saved) {
    if (saved.name == "attention.query" || saved.name == "attention.value" || saved.name == "attention.context" ||
        saved.name == "attention.log-sum-exp")
      kept += saved.bytes;
    if (saved.name == "mlp.hidden") kept += saved.bytes / 2;
  }
  layer.saved = {{.name = "layer.kept", .bytes = kept, .split = layer.input_split}};
}

void repeat_layer(const Scenario& s, Block& layer) {
  if (s.parallelism.recompute == Recompute::full) return full(s, layer);
  switch (s.software.selective) {
    case Selective::core_attention:
      return core_attention(layer);
    case Selective::every_second_layer:
      return every_second_layer(layer);
    case Selective::every_second_matmul:
      return every_second_matmul(s, layer);
    case Selective::mlp_and_norm:
      return mlp_and_norm(layer);
    case Selective::all_but_qkv:
      return all_but_qkv(s, layer);
    case Selective::latent_up:
      return latent_up(s, layer);
    case Selective::expert_activation:
      return expert_activation(layer);
    case Selective::latent_up_and_cheap:
      return latent_up_and_cheap(s, layer);
  }
}

}  // namespace

void apply_recompute(const Scenario& s, Workload& w) {
  if (s.job.phase == Phase::forward || s.parallelism.recompute == Recompute::none) return;
  auto of_head = [](const Saved& saved) { return saved.name.starts_with("head."); };
  for (Block& block : w.blocks) {
    if (block.kind != BlockKind::layer && block.kind != BlockKind::prediction) continue;
    std::vector<Saved> kept;
    std::ranges::copy_if(block.saved, std::back_inserter(kept), of_head);
    std::erase_if(block.saved, of_head);
    repeat_layer(s, block);
    block.saved.insert(block.saved.end(), kept.begin(), kept.end());
  }
}

}  // namespace planner
