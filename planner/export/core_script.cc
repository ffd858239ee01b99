// Configurations of Megatron-Core that a Python script fills: sections `model` (TransformerConfig), `ddp`
// (megatron/core/distributed/distributed_data_parallel_config.py) and `optimizer`
// (megatron/core/optimizer/optimizer_config.py).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "planner/export/core_rules.h"
#include "planner/export/table.h"

namespace planner::exporting {
namespace {

void optimizer(Writer& w) { put_adam_or_sgd(w, "optimizer.optimizer"); }

/// A type of PyTorch; eight bits are held as integers (megatron/training/arguments.py).
std::string torch_type(std::string_view type) { return type == "fp8" ? "torch.uint8" : "torch.bfloat16"; }

void states(Writer& w) {
  const std::optional<NarrowStates> narrow = narrow_states(w.s);
  if (!narrow) return;
  w.put("optimizer.use_precision_aware_optimizer", "true");
  if (*narrow->first) w.put("optimizer.exp_avg_dtype", torch_type(narrow->first));
  if (*narrow->second) w.put("optimizer.exp_avg_sq_dtype", torch_type(narrow->second));
  if (narrow->gradients) w.put("optimizer.main_grads_dtype", "torch.bfloat16");
}

void recompute(Writer& w) {
  w.put_word("model.recompute_granularity", w.value());
  if (recomputes_part(w.s)) return;
  put_recomputed_layers(w, "model.recompute_method", "model.recompute_num_layers");
}

/// A list of Python.
void put_list(Writer& w, const char* name, const std::vector<std::string>& words) {
  if (!words.empty()) w.put(name, fmt::format("[\"{}\"]", fmt::join(words, "\", \"")));
}

void selective(Writer& w) { put_list(w, "model.recompute_modules", recomputed_modules(w)); }

void offload_modules(Writer& w) {
  w.put("model.fine_grained_activation_offloading", "true");
  put_list(w, "model.offload_modules", offloaded_modules(w));
}

void offload_optimizer(Writer& w) {
  w.put("optimizer.optimizer_cpu_offload", "true");
  w.put("optimizer.optimizer_offload_fraction", w.value());
}

void offload_activations(Writer& w) {
  if (offloads_parts(w.s)) return w.put("model.activation_offload_fraction", w.value());
  const int64_t layers = offloaded_layers(w);
  if (layers == 0) return;
  w.put("model.cpu_offloading", "true");
  w.put("model.cpu_offloading_num_layers", layers);
}

void buckets(Writer& w) { put_bucket(w, "ddp.bucket_size"); }

/// Messages that overlap go one by one, others in batches.
void overlap_pipeline(Writer& w) {
  w.put("model.overlap_p2p_comm", w.value());
  w.put("model.batch_p2p_comm", w.s.software.overlap.pipeline ? "false" : "true");
}

/// A field of newer versions: written only if requested.
void overlap_experts(Writer& w) {
  if (w.s.software.experts.overlap) w.put("model.overlap_moe_expert_parallel_comm", "true");
}

/// Megatron-Core compares with the members of the enumeration; a text never equals one.
void attention(Writer& w) {
  if (const std::string backend = attention_backend(w); !backend.empty())
    w.put("model.attention_backend", "AttnBackend." + backend);
}

constexpr ExportRow kRows[] = {
    {.field = "job.optimizer", .rule = optimizer},
    {.field = "software.memory.optimizer", .when = has_states_of_its_own, .rule = states},
    {.field = "software.overlap.gradients", .name = "ddp.overlap_grad_reduce", .when = is_plain},
    {.field = "software.overlap.parameters", .name = "ddp.overlap_param_gather", .when = gathers},
    {.field = "software.bucket_bytes", .rule = buckets},
    {.field = "parallelism.recompute", .when = recomputes, .rule = recompute},
    {.field = "software.selective", .rule = selective},
    {.field = "parallelism.offload.optimizer", .when = offloads_optimizer, .rule = offload_optimizer},
    {.field = "parallelism.offload.activations", .when = offloads_activations, .rule = offload_activations},
    {.field = "parallelism.offload.modules", .when = offloads_parts, .rule = offload_modules},
    {.field = "software.attention", .rule = attention},
    {.field = "software.fusion.bias_dropout_add", .name = "model.bias_dropout_fusion"},
    {.field = "software.overlap.pipeline", .rule = overlap_pipeline},
    {.field = "software.experts.overlap", .rule = overlap_experts}};

}  // namespace

std::span<const ExportRow> core_script_rows() { return kRows; }

}  // namespace planner::exporting
