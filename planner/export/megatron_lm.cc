// Megatron-LM: the flags of megatron/training/arguments.py. Where `import megatron` has a row for a field, its flag is
// taken from there.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "planner/export/core_rules.h"
#include "planner/export/megatron_layers.h"
#include "planner/export/stage_list.h"
#include "planner/export/table.h"
#include "planner/import/megatron_table.h"
#include "planner/workload/partition.h"

namespace planner::exporting {
namespace {

void launch(Writer& w) {
  if (!fills_nodes(w)) return;
  w.put("--nproc-per-node", gpus_per_node(w.s));
  w.put("--nnodes", nodes(w.s));
}

void kv_heads(Writer& w) {
  if (w.s.model.kv_heads == w.s.model.heads) return;
  w.put_switch("--group-query-attention");
  w.put("--num-query-groups", w.value());
}

void head_dim(Writer& w) { w.put(has_latent(w.s) ? "--qk-head-dim" : "--kv-channels", w.value()); }

void positions(Writer& w) {
  const Model& m = w.s.model;
  if (m.rotary && m.positions > 0) return w.refuse("learned and rotary positions exclude each other");
  w.put_word("--position-embedding-type", m.rotary ? "rope" : m.positions > 0 ? "learned_absolute" : "none");
  w.put("--max-position-embeddings", m.positions > 0 ? m.positions : w.s.job.sequence);
}

void activation(Writer& w) {
  const Model& m = w.s.model;
  if (m.gated_mlp && m.activation == Activation::silu) return w.put_switch("--swiglu");
  if (m.gated_mlp) return w.refuse("gated layers have SiLU alone", "--quick-geglu has an approximation of GELU");
  if (m.activation == Activation::squared_relu) return w.put_switch("--squared-relu");
  if (m.activation != Activation::gelu) w.refuse("without gates there are gelu and squared-relu");
}

/// A Python list: experts are in the last of each `every` layers behind the first dense ones.
void layers_with_experts(Writer& w) {
  const Experts& e = w.s.model.experts;
  const int64_t layers = w.s.model.layers - e.first_dense;
  if (e.first_dense == 0 && e.every == 1) return;
  if (layers % e.every != 0) return w.refuse("the layers behind the first dense ones are no multiple of every");
  const std::string dense = e.every > 1 ? "[0]*" + std::to_string(e.every - 1) + "+" : "";
  std::string list = e.first_dense > 0 ? "[0]*" + std::to_string(e.first_dense) + "+" : "";
  list += dense.empty() ? "[1]*" : "(" + dense + "[1])*";
  w.put_word("--moe-layer-freq", "(" + list + std::to_string(layers / e.every) + ")");
}

void window(Writer& w) {
  w.put_word("--window-size", "(" + w.value() + ",0)");
  if (w.s.model.window.global_every > 0) w.put("--window-attn-skip-freq", w.s.model.window.global_every);
}

void run_length(Writer& w) { w.put("--train-samples", sequences(w.s)); }

void precision(Writer& w) {
  switch (w.s.job.precision) {
    case Precision::fp32:
      return;
    case Precision::tf32:
      return w.refuse("TF32 is a setting of PyTorch, not a flag", "NVIDIA_TF32_OVERRIDE=1 with precision fp32");
    case Precision::fp16:
      return w.put_switch("--fp16");
    default:
      w.put_switch("--bf16");
  }
  if (w.s.job.precision == Precision::fp8) w.put_word("--fp8-format", "hybrid");
  if (w.s.job.precision == Precision::nvfp4) w.put_word("--fp4-format", "e2m1");
  if (w.s.job.precision != Precision::mxfp8) return;
  w.put_word("--fp8-format", "e4m3");
  w.put_word("--fp8-recipe", "mxfp8");
}

void scaling(Writer& w) { put_scaling(w, "--fp8-recipe"); }

// Whole matrices are dealt to the data ranks where it is distributed (megatron/training/arguments.py; muon refuses the
// distributed optimizer of Adam).
void optimizer(Writer& w) {
  constexpr ExportWord kOptimizers[] = {{"adam", "adam"}, {"sgd", "sgd"}, {"muon", "muon"}, {"muon-clip", "muon"}};
  const bool dealt = is_muon(w.s) && w.s.parallelism.zero > 0;
  if (!dealt) put_word_of(w, "--optimizer", kOptimizers);
  else w.put_word("--optimizer", "dist_muon");
  if (w.s.job.optimizer == Optimizer::muon_clip) w.put_switch("--qk-clip");
}

void muon_mode(Writer& w) {
  constexpr ExportWord kModes[] = {{"duplicated", "duplicated"},
                                   {"distributed", "distributed"},
                                   {"blockwise", "blockwise"},
                                   {"layer-sharded", "layer_sharded"}};
  put_word_of(w, "--muon-tp-mode", kModes);
}

void states(Writer& w) {
  const std::optional<NarrowStates> narrow = narrow_states(w.s);
  if (!narrow) return;
  w.put_switch("--use-precision-aware-optimizer");
  if (*narrow->first) w.put("--exp-avg-dtype", narrow->first);
  if (*narrow->second) w.put("--exp-avg-sq-dtype", narrow->second);
  if (narrow->gradients) w.put("--main-grads-dtype", "bf16");
}

/// Layers of the parts where they are not even: the embedding and the loss count as one, the ends hold others, or a
/// list.
void stages(Writer& w) {
  if (is_even(w.s)) return;
  if (needs_list(w.s)) return w.put_word("--pipeline-model-parallel-layout", write_stage_list(w.s));
  const StageEnds ends = ends_of(w.s);
  if (ends.are_counted()) {
    if (ends.first < ends.middle) w.put_switch("--account-for-embedding-in-pipeline-split");
    if (ends.last < ends.middle) w.put_switch("--account-for-loss-in-pipeline-split");
    return;
  }
  if (ends.first != ends.middle) w.put("--decoder-first-pipeline-num-layers", ends.first);
  if (ends.last != ends.middle) w.put("--decoder-last-pipeline-num-layers", ends.last);
}

/// A list gives the number of parts of a stage, and excludes the flag.
bool says_interleave(const Scenario& s) { return interleaves(s) && !needs_list(s) && !has_letters(s); }

/// A pattern of letters says how many layers there are, where the pipeline is cut and what predicts.
bool counts_layers(const Scenario& s) { return !has_letters(s); }
bool cuts_layers(const Scenario& s) { return has_pipeline(s) && !has_letters(s); }
bool counts_predictions(const Scenario& s) { return has_mtp(s) && !has_letters(s); }
bool has_alike_windows(const Scenario& s) { return has_window(s) && !has_pattern(s); }
bool has_alike_mixtures(const Scenario& s) { return is_mixture(s) && !has_pattern(s); }

void zero(Writer& w) {
  const int64_t stage = w.s.parallelism.zero;
  if (stage == 0) return;
  if (is_muon(w.s)) return stage == 1 ? void() : w.refuse("its Muon deals matrices, and shards no more", "zero: 1");
  if (is_fsdp(w.s)) {
    if (has_pipeline(w.s)) return w.refuse("PyTorch's FSDP does not go with a pipeline", "software.fsdp: false");
    w.put_switch("--use-torch-fsdp2");
    return stage == 2 ? w.put_switch("--torch-fsdp2-no-reshard-after-forward") : void();
  }
  w.put_switch("--use-distributed-optimizer");
  if (stage == 1) return;
  w.put_switch("--use-megatron-fsdp");
  w.put_word("--data-parallel-sharding-strategy", stage == 2 ? "optim_grads" : "optim_grads_params");
}

void zero_group(Writer& w) { put_copies_of_shards(w, "--num-distributed-optimizer-instances"); }

void recompute(Writer& w) {
  if (w.s.parallelism.recompute == Recompute::none) return;
  w.put_word("--recompute-granularity", w.value());
  if (recomputes_part(w.s)) return;
  put_recomputed_layers(w, "--recompute-method", "--recompute-num-layers");
}

void selective(Writer& w) {
  const std::vector<std::string> modules = recomputed_modules(w);
  if (!modules.empty()) w.put("--recompute-modules", fmt::format("{}", fmt::join(modules, " ")));
}

void offload_optimizer(Writer& w) {
  w.put_switch("--optimizer-cpu-offload");
  w.put("--optimizer-offload-fraction", w.value());
}

void offload_modules(Writer& w) {
  const std::vector<std::string> modules = offloaded_modules(w);
  if (modules.empty()) return;
  w.put_switch("--fine-grained-activation-offloading");
  w.put("--offload-modules", fmt::format("{}", fmt::join(modules, " ")));
}

void offload_activations(Writer& w) {
  if (offloads_parts(w.s)) return w.put("--activation-offload-fraction", w.value());
  if (const int64_t layers = offloaded_layers(w)) w.put("--cpu-offloading-num-layers", layers);
}

void attention(Writer& w) {
  if (const std::string backend = attention_backend(w); !backend.empty()) w.put_word("--attention-backend", backend);
}

void bias_activation(Writer& w) {
  if (!w.s.software.fusion.bias_activation)
    w.put_switch(w.s.model.gated_mlp ? "--no-bias-swiglu-fusion" : "--no-bias-gelu-fusion");
}

// Megatron counts parameters (megatron/training/arguments.py).
void buckets(Writer& w) { put_bucket(w, "--ddp-bucket-size"); }

void inner_context(Writer& w) { w.put("--hierarchical-context-parallel-sizes", ring_of_heads(w.s, " ")); }
void dispatch(Writer& w) { put_dispatch(w, "--moe-token-dispatcher-type", "--moe-flex-dispatcher-backend"); }

/// By default bf16 jobs reduce in fp32, and fp16 jobs in fp16.
void reduce_bytes(Writer& w) {
  const double bytes = w.s.software.reduce_bytes;
  if (w.s.job.precision <= Precision::tf32) return w.is_habit() ? void() : w.refuse("gradients have 4 bytes");
  if (bytes != 2 && bytes != 4) return w.refuse("gradients have 2 or 4 bytes");
  const bool half = w.s.job.precision == Precision::fp16;
  if (!half && bytes == 2 && w.s.software.memory.gradient != 2)
    return w.refuse("gradients have the type that they travel in", "software.memory.gradient: 2");
  if (half && bytes == 4) w.put_switch("--accumulate-allreduce-grads-in-fp32");
  if (!half && bytes == 2) w.put_switch("--grad-reduce-in-bf16");
}

void gather_bytes(Writer& w) {
  if (w.value() == "1" && is_narrow(w.s)) return w.put_switch("--fp8-param-gather");
  if (!w.is_habit()) w.refuse("parameters travel in their type, or in 1 byte of 8-bit jobs");
}

void graphs(Writer& w) {
  if (w.s.software.graphs == Graphs::none) return;
  const bool step = w.s.software.graphs == Graphs::step;
  w.put_word("--cuda-graph-impl", step ? "local" : "transformer_engine");
  w.put("--cuda-graph-scope", step ? "full_iteration" : "attn moe_router moe_preprocess");
}

constexpr ExportRow kRows[] = {
    {.field = "parallelism.dp", .rule = launch},
    {.field = "parallelism.interleave", .when = says_interleave, .with = "parallelism.stages"},
    {.field = "parallelism.stages", .when = cuts_layers, .rule = stages, .with = "model.pattern"},
    {.field = "parallelism.schedule", .rule = refuse_schedules},
    {.field = "parallelism.cp_inner", .rule = inner_context},
    {.field = "parallelism.sequence_parallel", .name = "--sequence-parallel", .on = "true"},
    {.field = "parallelism.zero", .rule = zero},
    {.field = "parallelism.zero_group", .rule = zero_group},
    {.field = "parallelism.expert_zero_group", .rule = keep_expert_shards},
    {.field = "parallelism.servers", .hint = "gradients are summed by collectives"},
    {.field = "parallelism.recompute", .rule = recompute},
    {.field = "software.selective", .rule = selective},
    {.field = "parallelism.offload.optimizer", .when = offloads_optimizer, .rule = offload_optimizer},
    {.field = "parallelism.offload.activations", .when = offloads_activations, .rule = offload_activations},
    {.field = "parallelism.offload.modules", .when = offloads_parts, .rule = offload_modules},
    {.field = "job.tokens", .rule = run_length},
    {.field = "job.document", .rule = refuse_packing},
    {.field = "job.precision", .rule = precision},
    {.field = "software.scaling", .rule = scaling},
    {.field = "job.optimizer", .rule = optimizer},
    {.field = "job.muon.mode", .rule = muon_mode},
    {.field = "software.memory.optimizer", .when = has_states_of_its_own, .rule = states},
    {.field = "job.routing.capacity", .when = has_capacity},
    {.field = "job.lora.rank", .hint = "NeMo has adapters, Megatron-LM has not"},

    {.field = "model.operators*", .rule = refuse_operators},
    {.field = "model.pattern", .rule = put_layers},
    {.field = "model.layers", .when = counts_layers, .with = "model.pattern"},
    {.field = "model.kv_heads", .rule = kv_heads},
    {.field = "model.head_dim", .rule = head_dim},
    {.field = "model.vocab", .rule = put_vocab},
    {.field = "model.positions", .rule = positions},
    {.field = "model.activation", .rule = activation},
    {.field = "model.causal", .hint = "pretrain_bert.py takes other flags"},
    {.field = "model.dropout", .rule = [](Writer& w) { put_dropout(w, "--hidden-dropout", "--attention-dropout"); }},
    {.field = "model.mtp", .when = counts_predictions, .with = "model.pattern"},
    {.field = "model.latent.rank",
     .rule =
         [](Writer& w) {
           w.put_switch("--multi-latent-attention");
           w.put("--kv-lora-rank", w.value());
         }},
    {.field = "model.latent.query_rank", .name = "--q-lora-rank"},
    {.field = "model.latent.rotary_dim", .name = "--qk-pos-emb-head-dim"},
    {.field = "model.latent.value_dim", .name = "--v-head-dim"},
    {.field = "model.window.size", .when = has_alike_windows, .rule = window, .with = "model.pattern"},
    {.field = "model.experts.shared", .with = "model.experts.shared_ffn"},
    {.field = "model.experts.first_dense",
     .when = has_alike_mixtures,
     .rule = layers_with_experts,
     .with = "model.pattern"},

    {.field = "software.attention", .rule = attention},
    {.field = "software.fusion.bias_activation", .rule = bias_activation},
    {.field = "software.overlap.gradients", .name = "--overlap-grad-reduce", .on = "true", .when = is_plain},
    {.field = "software.overlap.parameters", .name = "--overlap-param-gather", .on = "true", .when = gathers},
    {.field = "software.scatter_gather", .only = "true", .hint = "the flag is gone from its latest versions"},
    {.field = "software.experts.dispatch", .rule = dispatch},
    {.field = "software.bucket_bytes", .rule = buckets},
    {.field = "software.reduce_each_microbatch", .only = "false", .when = is_plain},
    {.field = "software.reduce_bytes", .rule = reduce_bytes},
    {.field = "software.gather_bytes", .rule = gather_bytes},
    {.field = "software.graphs", .rule = graphs}};

}  // namespace

std::span<const ExportRow> megatron_rows() {
  static const std::vector<ExportRow> kAll = with_flags(kRows, megatron::megatron_lm());
  return kAll;
}

std::string megatron_text(const std::vector<Setting>& settings) {
  const bool letters = !value_of(settings, "--hybrid-layer-pattern").empty();
  return render_launch("torchrun", {"--nproc-per-node", "--nnodes"}, letters ? "pretrain_hybrid.py" : "pretrain_gpt.py",
                       settings);
}

}  // namespace planner::exporting
