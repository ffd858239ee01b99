// What software does with machines that have techniques of their own (docs/techniques.md): the fields that a scenario's
// `techniques` set (techniques.h).
//
// How the training software brings a rank's part of a sequence together with the rest of it (context parallelism).
//
// What `recompute: selective` runs again of a layer.
#pragma once

#include <cstdint>
#include <string>

#include "dsl/enum_words.h"
#include "dsl/fields.h"
#include "operator_models/concurrency_policy.h"

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

/// Traffic of joining the steps of a ring, in bytes per element of a step's output.
struct RingHabits {
  double context_bytes = 6;   // its context, into the sum of those before
  double gradient_bytes = 6;  // gradients of queries, keys and values
};

/// How context parallelism brings a rank's queries together with all keys. all-to-all-ring: parallelism.cp_inner ranks
/// next to one another exchange heads, and ranks of the same heads form a ring.
enum class Context { ring, all_to_all, all_to_all_ring };
inline constexpr auto& kContextNames = dsl::kEnumWords<Context>;

struct ContextHabits {
  Context context = Context::ring;
  bool balanced_context = true;  // ring: a rank holds an early and a late piece; false: one, and all wait for the last
  RingHabits ring;
};

template <class V> void fields(V& v, RingHabits& r) {
  v("context_bytes", r.context_bytes,
    {.least = 0, .doc = "bytes moved per element where a step's context joins those before", .descriptive = true});
  v("gradient_bytes", r.gradient_bytes,
    {.least = 0, .doc = "the same of gradients of queries, keys and values", .descriptive = true});
}

template <class V> void fields(V& v, ContextHabits& s) {
  v("context", s.context, {.doc = "how context parallelism meets queries and keys"});
  v("balanced_context", s.balanced_context,
    {.doc = "ranks of a ring hold an early and a late piece of the sequence each"});
  v.section("ring", s.ring);
}

/// Where parameters are updated: on the GPU, or by units near its memory (Pati 2024, chapter 6). Those do all of it, or
/// all but the norm over all gradients, for which the GPU reads them.
enum class OptimizerOn { gpu, near_memory, near_memory_but_norm };

/// How a GEMM and the collective of its output share the device.
/// none: one after the other. ideal: reduce-scatter and GEMM in parallel, neither slows the other. ideal-nmc: the
/// memory adds, too. t3: hardware sends each part of the result when it is written, the memory adds, and both share its
/// bandwidth. t3-mca: its controller serves the GEMM first. cu-split: each has its own compute units (Pati 2024,
/// sections 8.4.3 and 8.2.2.1).
enum class FusedCollectives { none, ideal, ideal_nmc, t3, t3_mca, cu_split };

struct TechniqueHabits {
  std::string techniques;  // the scenario's techniques, joined by '+'; empty: none
  OptimizerOn optimizer_on = OptimizerOn::gpu;
  FusedCollectives fused_collectives = FusedCollectives::none;  // GEMMs and the reduce-scatters of their outputs
  int64_t collective_units = 8;  // cu-split: compute units of the collective; 0: it needs none
  operator_models::Concurrency concurrency = operator_models::Concurrency::sequential;  // of independent GEMMs
  int64_t instances = 1;  // of a forward job on each GPU: each GEMM exists this many times
};

template <class V> void fields(V& v, TechniqueHabits& t) {
  v("techniques", t.techniques, {.doc = "written by the scenario's `techniques`", .descriptive = true});
  v("optimizer_on", t.optimizer_on, {.doc = "who updates the parameters: the GPU or units near its memory"});
  v("fused_collectives", t.fused_collectives,
    {.doc = "how a GEMM and the reduce-scatter of what it writes share the device"});
  v("collective_units", t.collective_units,
    {.least = 0,
     .most = 1e6,
     .doc = "cu-split: compute units of the collective, the others are the GEMM's; 0: it needs none",
     .descriptive = true});
  v("concurrency", t.concurrency, {.doc = "how independent GEMMs share the GPU"});
  v("instances", t.instances,
    {.least = 1,
     .most = 1024,
     .doc = "copies of a forward job on each GPU, in turns or side by side",
     .descriptive = true});
}

}  // namespace planner
