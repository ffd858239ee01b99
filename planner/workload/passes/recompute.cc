// Activation recomputation: tensors dropped after forward, and operators run again before backward.
//
// none: everything saved. selective: the modules or the policy that the software names (Korthikanti et al. 2022,
// section 5: the core of unfused attention). full: each unit keeps its input and runs forward again (Chen et al. 2016).
#include "planner/workload/passes/recompute.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <variant>

#include "operator_models/kinds.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/passes/rebuilt.h"

namespace planner {
namespace {

// A policy is about the layer inside a prediction layer.
bool of_ends(const Block& block, const WorkOp& w) {
  return block.kind == BlockKind::prediction && (w.sublayer == Sublayer::embedding || w.sublayer == Sublayer::head);
}

// The product that a frozen weight is widened for.
const WorkOp& user_of(const Block& block, size_t widens) {
  const auto reads = [&](const WorkOp& op) {
    return std::ranges::find(op.inputs, static_cast<int>(widens)) != op.inputs.end();
  };
  const auto user = std::ranges::find_if(block.ops, reads);
  return user == block.ops.end() ? block.ops[widens] : *user;
}

// Runs forward operators again; `times` says how often each (0: not at all). Casts of weights are kept, widened ones
// are not.
template <class Times> void repeat(Block& block, Times times) {
  const size_t n = block.ops.size();
  std::vector<int> again(n, kKept);  // where each is repeated
  for (size_t i = 0; i < n; ++i) {
    const bool kept = block.ops[i].of_weights && !block.ops[i].widens;
    if (block.ops[i].phase != StepPhase::forward || kept || of_ends(block, block.ops[i])) continue;
    const double count = times(block.ops[i].widens ? user_of(block, i) : block.ops[i]);
    if (count == 0) continue;
    again[i] = static_cast<int>(block.ops.size());
    block.ops.push_back(block.ops[i]);
    WorkOp& w = block.ops.back();
    w.phase = StepPhase::recompute;
    w.count *= count;
    w.forward = static_cast<int>(i);
    w.result = false;
  }
  read_again(block, again);
}

// What comes behind the last tensor that the backward pass of a dense layer reads: the second matrix of the MLP, the
// sum of its parts among tensor ranks, the residual. A runtime that hands tensors to the backward pass as it makes them
// (PyTorch's checkpoint without reentry), or a compiler that drops unread results (XLA), does not repeat it.
bool is_read(const Scenario& s, const Block& layer, const WorkOp& w) {
  const bool ends_there = s.software.recompute_stops && s.model.dropout == 0 && !s.model.post_norm &&
                          !s.model.parallel_block && !layer.layer.experts && s.job.lora.rank == 0;
  return !ends_there || (w.role != Role::fc2 && w.role != Role::mlp_residual);
}

Saved kept_input(const Block& layer) {
  return {
      .name = "layer.input", .role = SavedRole::layer_input, .bytes = layer.input_bytes, .split = layer.input_split};
}

// Memory of a layer while it is repeated, in addition to the input from which it is repeated.
double rebuilt_bytes(const Block& layer) {
  double bytes = 0;
  for (const Saved& saved : layer.saved)
    if (saved.role != SavedRole::layer_input) bytes += saved.bytes;
  return bytes;
}

// The share of the layers that are repeated; the others keep all they made.
double repeated_layers(const Scenario& s) {
  const int64_t layers = s.parallelism.recompute_layers;
  return layers == 0 ? 1 : std::min(1.0, static_cast<double>(layers) / static_cast<double>(s.model.layers));
}

// Of the layers that a block represents, a share keeps its input alone.
void keep_rest(Block& layer, double repeated) {
  for (Saved& saved : layer.saved) saved.bytes *= 1 - repeated;
  layer.saved.push_back(kept_input(layer));
  layer.saved.back().bytes *= repeated;
}

// Layers share an input within a chunk (Megatron-LM, transformer_block.py, _checkpointed_forward, "uniform"); a
// prediction layer is a checkpoint of its own.
void full(const Scenario& s, Block& layer) {
  layer.recompute_working_set = rebuilt_bytes(layer);
  const double share = repeated_layers(s);
  repeat(layer, [&](const WorkOp& w) { return is_read(s, layer, w) ? share : 0.0; });
  if (share < 1) return keep_rest(layer, share);
  layer.saved = {kept_input(layer)};
  if (layer.kind == BlockKind::layer) layer.saved.back().of_layers = s.parallelism.recompute_every;
}

// One layer is rebuilt at a time; of a list of operators all that are repeated.
void every_second_layer(const Scenario& s, Block& layer) {
  layer.recompute_working_set = rebuilt_bytes(layer) / (s.model.operators.empty() ? 1 : 2);
  repeat(layer, [](const WorkOp&) { return 0.5; });
  keep_rest(layer, 0.5);
}

// Drops what the modules name; it is live again while one layer is repeated. What makes it runs again, and all of a
// module that is one function to the frameworks that repeat it.
void by_modules(const Scenario& s, Block& layer) {
  std::vector<Saved> kept, dropped;
  std::vector<const RecomputeModule*> of_layer;  // that drop something of it
  for (const RecomputeModule& module : recompute_modules()) {
    const auto is_dropped = [&](const Saved& saved) { return drops(s, module, layer, saved); };
    if (repeats(s.software, module.name) && std::ranges::any_of(layer.saved, is_dropped)) of_layer.push_back(&module);
  }
  for (const Saved& saved : layer.saved) {
    const bool drop = std::ranges::any_of(of_layer, [&](const auto* m) { return drops(s, *m, layer, saved); });
    (drop ? dropped : kept).push_back(saved);
  }
  layer.saved = std::move(kept);
  layer.recompute_working_set = 0;
  for (const Saved& saved : dropped) layer.recompute_working_set += saved.bytes;
  repeat(layer, [&](const WorkOp& w) {
    const bool made = std::ranges::any_of(dropped, [&](const Saved& saved) { return makes(w, saved); });
    const bool whole = std::ranges::any_of(of_layer, [&](const auto* m) { return holds_whole(*m, layer, w); });
    return made || (whole && is_read(s, layer, w)) ? 1.0 : 0.0;
  });
}

/// A product itself, not the cast of an operand or a collective beside it; nor that of an adapter.
bool is_own_product(const WorkOp& w) { return w.product > 0 && !w.adapter; }

bool is_projection(const WorkOp& w) {
  constexpr std::array kProjections{Role::qkv, Role::query, Role::key, Role::value, Role::query_up, Role::key_value_up};
  return is_own_product(w) && std::ranges::find(kProjections, w.role) != kProjections.end();
}

bool is_projected(const Saved& saved) {
  return saved.role == SavedRole::query || saved.role == SavedRole::key || saved.role == SavedRole::value;
}

void all_but_qkv(const Scenario& s, Block& layer) {
  layer.recompute_working_set = rebuilt_bytes(layer);
  repeat(layer, [&](const WorkOp& w) { return !is_projection(w) && is_read(s, layer, w) ? 1.0 : 0.0; });
  std::erase_if(layer.saved, [](const Saved& saved) { return !is_projected(saved); });
  layer.recompute_working_set -= layer.saved_bytes();
  layer.saved.push_back(kept_input(layer));
}

// What a product writes, in every layer that has one; and tokens where they have been sent to.
bool is_product_result(const Saved& saved) {
  constexpr std::array kResults{SavedRole::query_latent,
                                SavedRole::key_value_latent,
                                SavedRole::heads_unnormed,
                                SavedRole::query,
                                SavedRole::key,
                                SavedRole::value,
                                SavedRole::context,
                                SavedRole::log_sum_exp,
                                SavedRole::context_exchanged,
                                SavedRole::hidden,
                                SavedRole::router_scores,
                                SavedRole::expert_result,
                                SavedRole::adapter_output,
                                SavedRole::attention_result,
                                SavedRole::mlp_result,
                                SavedRole::mixer_product,
                                SavedRole::narrowed_tokens,
                                SavedRole::expert_input};
  return std::ranges::find(kResults, saved.role) != kResults.end();
}

bool is_product(const WorkOp& w) {
  using operator_models::Attention, operator_models::Gemm;
  return std::holds_alternative<Gemm>(w.op) || std::holds_alternative<Attention>(w.op);
}

bool keeps(const Block& layer, SavedRole role) {
  return std::ranges::find(layer.saved, role, &Saved::role) != layer.saved.end();
}

// Nothing reads backward what these write, so that only a policy keeps it: scores, and the ends of attention and MLP,
// unless a norm behind them reads it.
std::vector<Saved> unread_results(const Block& layer) {
  std::vector<Saved> results;
  for (const Saved& saved : layer.saved)
    if (saved.role == SavedRole::probabilities) results.push_back(saved), results.back().name = "attention.scores";
  for (const WorkOp& w : layer.ops) {
    const bool ends = w.role == Role::attention_output || w.role == Role::fc2;
    if (w.phase != StepPhase::forward || !is_product(w) || w.routed || !ends) continue;
    const SavedRole role = w.role == Role::fc2 ? SavedRole::mlp_result : SavedRole::attention_result;
    if (!keeps(layer, role))
      results.push_back({.name = w.name, .role = role, .bytes = layer.input_bytes, .split = layer.input_split});
  }
  return results;
}

// In a fixed list of operators the owner of each tensor is unknown: all is kept.
void all_but_products(const Scenario& s, Block& layer) {
  if (!s.model.operators.empty()) return;
  layer.recompute_working_set = rebuilt_bytes(layer);
  std::vector<Saved> kept = unread_results(layer);
  repeat(layer, [&](const WorkOp& w) {
    const bool sorts = w.role == Role::permute || w.role == Role::dispatch;
    const bool again = !is_product(w) && !sorts && !operator_models::kind(w.op).communicates && is_read(s, layer, w);
    return again ? 1.0 : 0.0;
  });
  // The layer inside a prediction layer reads what a product writes.
  const bool is_prediction = layer.kind == BlockKind::prediction;
  std::ranges::copy_if(layer.saved, std::back_inserter(kept), [&](const Saved& saved) {
    return is_product_result(saved) || (is_prediction && saved.role == SavedRole::layer_input);
  });
  if (!is_prediction) kept.push_back(kept_input(layer));
  layer.saved = std::move(kept);
  layer.recompute_working_set = std::max(0.0, layer.recompute_working_set - layer.saved_bytes());
}

// torchtitan's "op" policy keeps the results of fused attention and of every second matrix product in program
// order - wq, wv, w1 and w2 of a LLaMA layer - and repeats wk, wo, w3 and every other kernel. Of latents, experts and
// adapters it keeps no product.
double repeated_share(const Scenario& s, const WorkOp& w) {
  if (operator_models::kind(w.op).communicates) return 0.5;
  if (w.role == Role::fused_attention) return 0;
  if (!is_own_product(w)) return 1;
  const bool dense = w.sublayer == Sublayer::mlp;
  switch (w.role) {
    case Role::query:
    case Role::value:
      return 0;
    case Role::qkv: {
      const double kv = static_cast<double>(s.model.kv_heads);
      return kv / (static_cast<double>(s.model.heads) + 2 * kv);
    }
    case Role::fc1:
      return dense && s.model.gated_mlp ? 0.5 : 1;
    case Role::fc2:
      return dense ? 0 : 1;
    default:
      return 1;
  }
}

double kept_share(const Scenario& s, const Block& layer, const Saved& saved) {
  switch (saved.role) {
    case SavedRole::query:
    case SavedRole::value:
      return s.model.latent.rank > 0 ? 0 : 1;
    case SavedRole::context:
    case SavedRole::context_exchanged:
    case SavedRole::log_sum_exp:
      return attends_unfused(s) ? 0 : 1;
    case SavedRole::hidden:
      return !layer.layer.experts && s.model.gated_mlp ? 0.5 : 0;
    default:
      return 0;
  }
}

void every_second_matmul(const Scenario& s, Block& layer) {
  layer.recompute_working_set = rebuilt_bytes(layer);
  repeat(layer, [&s](const WorkOp& w) { return repeated_share(s, w); });
  std::vector<Saved> kept{kept_input(layer)};
  // The result of w2: a norm behind it is all that reads it backward.
  const bool has_mlp = s.model.operators.empty() && !layer.layer.experts;
  if (has_mlp && (s.software.memory.keeps_unread || s.model.post_norm))
    kept.push_back(
        {.name = "mlp.result", .role = SavedRole::mlp_result, .bytes = layer.input_bytes, .split = layer.input_split});
  for (Saved& saved : layer.saved) {
    saved.bytes *= kept_share(s, layer, saved);
    layer.recompute_working_set -= saved.bytes;
    if (saved.bytes > 0) kept.push_back(saved);
  }
  layer.saved = std::move(kept);
}

void repeat_layer(const Scenario& s, Block& layer) {
  if (s.parallelism.recompute == Recompute::full) return full(s, layer);
  const std::optional<Selective> policy = layer_policy(s.software);
  if (policy == Selective::every_second_layer) return every_second_layer(s, layer);
  if (policy == Selective::every_second_matmul) return every_second_matmul(s, layer);
  if (policy == Selective::all_but_qkv) return all_but_qkv(s, layer);
  if (policy == Selective::all_but_products) return all_but_products(s, layer);
  by_modules(s, layer);
}

// What the ends of a prediction layer keep.
bool is_of_end(const Saved& saved) {
  return saved.role == SavedRole::embedded || saved.role == SavedRole::final_states ||
         saved.role == SavedRole::final_terms || saved.role == SavedRole::head_input;
}

}  // namespace

void apply_recompute(const Scenario& s, Workload& w) {
  if (s.job.phase == Phase::forward || s.parallelism.recompute == Recompute::none) return;
  for (Block& block : w.blocks) {
    if (!block.is_layer()) continue;
    std::vector<Saved> kept;
    std::ranges::copy_if(block.saved, std::back_inserter(kept), is_of_end);
    std::erase_if(block.saved, is_of_end);
    repeat_layer(s, block);
    block.saved.insert(block.saved.end(), kept.begin(), kept.end());
  }
}

}  // namespace planner
