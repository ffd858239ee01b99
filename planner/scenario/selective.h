// What `recompute: selective` runs again of a layer.
#pragma once

#include "dsl/enum_words.h"

namespace planner {

/// What `recompute: selective` runs again: a list of modules, or one policy of a whole layer.
/// Modules (recompute_modules.cc has their rows, with Megatron's words): core-attention: scores to context of unfused
/// attention. latent-up: queries, keys and values from their latents. activation, expert-activation: between two GEMMs
/// of any MLP, of routed experts. norm: in front of attention and MLP. inner-norm: of latents, and in front of a
/// prediction layer. mlp, experts, shared-experts: all of a dense MLP, of a layer's experts, of the shared ones.
/// Sets of modules: mlp-and-norm: activations and norms, no GEMM. latent-up-and-cheap: these and latent-up
/// (DeepSeek-V3, section 3.2.3). Policies of a layer: every-second-layer: half the layers in full. every-second-matmul:
/// all but fused attention and every second linear layer (torchtitan "op"). all-but-qkv: keeps the layer's input and Q,
/// K, V (MaxText save_qkv_proj). all-but-products: keeps what matrix products write, and repeats no product (Chen et
/// al. 2016, section 4.3; cybertronai/gradient-checkpointing, "speed").
enum class Selective {
  core_attention,
  every_second_layer,
  every_second_matmul,
  mlp_and_norm,
  all_but_qkv,
  latent_up,
  expert_activation,
  latent_up_and_cheap,
  all_but_products,
  activation,
  norm,
  inner_norm,
  mlp,
  experts,
  shared_experts
};
inline constexpr auto& kSelectiveNames = dsl::kEnumWords<Selective>;

}  // namespace planner
