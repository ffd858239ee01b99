// Megatron-DeepSpeed: what its flags mean that Megatron-LM has not, or has otherwise. Sharding and offloading are those
// of DeepSpeed's own configuration, where it is there.
#include <fmt/format.h>

#include <algorithm>

#include "planner/import/deepspeed_config.h"
#include "planner/import/megatron_flags.h"

namespace planner::megatron {
namespace {

constexpr const char *kStage = "--zero-stage", *kConfig = "--deepspeed_config";

/// One figure for all layers with experts, or one for each (a pyramid).
int64_t expert_count(Flags& f) {
  const char* flag = "--num-experts";
  const int64_t count = f.count(flag, 1);
  for (const ShellWord& word : f.values(flag))
    if (word.text != f.text(flag)) {
      f.error(flag, "layers with unlike numbers of experts are not read",
              f.written(flag, f.text(flag)) + ": as many in each");
      break;
    }
  return count;
}

void attention(Flags& f) {
  constexpr struct {
    const char *flag, *kernel;
  } kKernels[] = {{"--use-flash-attn-triton", "triton-flash"},
                  {"--use-flash-attn-v2", "flash2"},
                  {"--use-flash-attn-builder", "flash2"},
                  {"--use-flash-attn-v1", "flash1"},
                  {"--use-flash-attn", "flash1"}};
  for (const auto& row : kKernels)
    if (f.has(row.flag)) return f.put("software.attention", row.kernel, row.flag);
}

/// Its bf16 optimizer shards states over the data ranks even in stage 0 (deepspeed/runtime/bf16_optimizer.py).
void stage_of_flags(Flags& f) {
  const int64_t stage = f.count(kStage, 1);
  if (stage > 3) return f.error(kStage, fmt::format("ZeRO has stages 0 to 3, not {}", stage));
  f.put("parallelism.zero", f.has("--bf16") ? std::max<int64_t>(1, stage) : stage, f.has(kStage) ? kStage : kConfig);
  if (f.has("--cpu-optimizer")) f.put("parallelism.offload.optimizer", 1, "--cpu-optimizer");
  if (f.text("--remote-device", "none") != "none") f.put("parallelism.offload.weights", 1, "--remote-device");
}

/// The flag and the configuration say the same.
void check_stage(Flags& f, deepspeed::Config& config) {
  const int64_t stage = config.count("zero_optimization.stage", 0);
  if (f.has(kStage) && f.count(kStage, stage) != stage)
    config.error("zero_optimization.stage", fmt::format("zero_optimization.stage {} is not {} {} of the launch line",
                                                        stage, kStage, f.text(kStage)));
}

}  // namespace

/// Of the fork of BigScience (megatron/model/glu_activations.py), where --ffn-hidden-size is the width of one half.
void deepspeed_activation(Flags& f) {
  constexpr struct { const char *theirs, *ours; } kGates[] = {{"geglu", "gelu"}, {"reglu", "relu"}, {"swiglu", "silu"}};
  const char* flag = "--glu-activation";
  f.put("model.gated_mlp", "true", flag);
  for (const auto& row : kGates)
    if (f.text(flag) == row.theirs) return f.put("model.activation", row.ours, flag);
  f.error(flag, "expected geglu, reglu or swiglu for --glu-activation, got '" + f.text(flag) + "'");
}

void deepspeed_experts(Flags& f) {
  const int64_t count = expert_count(f);
  if (count < 2) return;
  f.put("model.experts.count", count, "--num-experts");
  const auto or_default = [&](const char* field, const char* flag, const char* value) {
    if (!f.has(flag)) f.put(field, value, flag);
  };
  or_default("model.experts.top_k", "--topk", "1");
  or_default("model.experts.every", "--expert-interval", "2");
  or_default("job.routing.capacity", "--moe-train-capacity-factor", "1");
  const char* drops = "--disable-moe-token-dropping";
  if (f.has(drops)) f.put("job.routing.capacity", "0", drops);
  // A dense layer is next to the experts, and a learned weight joins both (deepspeed/moe/layer.py: use_residual).
  const char* type = "--mlp-type";
  if (f.text(type, "standard") != "residual") return;
  f.put("model.experts.shared", 1, type);
  f.put("model.experts.shared_ffn", "model.ffn", type);
  f.put("model.experts.shared_gate", "true", type);
}

void deepspeed_length(Flags& f) {
  const char *tokens = "--train-tokens", *samples = "--train-samples", *steps = "--train-iters";
  if (!f.has(tokens)) return;
  const char* other = f.has(samples) ? samples : f.has(steps) ? steps : nullptr;
  const std::string all = f.figure(tokens, "0");
  if (!other) return f.put("job.tokens", all, tokens);
  // The run ends with the first of both (megatron/training.py: train).
  f.put("job.tokens", fmt::format("min({}, {})", all, f.field("job.tokens")->text), tokens);
}

void deepspeed_layout(Flags& f, const dsl::Node* json, dsl::Diagnostics& diagnostics) {
  if (f.count_of("model.experts.count", 0) > 0) {
    const char* splits = "--enable-expert-tensor-parallelism";
    f.put("parallelism.etp", f.has(splits) ? f.count_of("parallelism.tp", 1) : 1, splits);
  }
  if (json) {
    deepspeed::Config config(*json, deepspeed::key_table(), f, true, diagnostics);
    config.put_fields();
    deepspeed::zero_rules(config);
    check_stage(f, config);
    if (f.has("--bf16") && config.count("zero_optimization.stage", 0) == 0)
      config.put("parallelism.zero", "1", "zero_optimization.stage",
                 "its bf16 optimizer shards states in stage 0 as well");
  } else {
    stage_of_flags(f);
  }
  const char* method = "--pp-partition-method";
  if (const std::string text = f.text(method, "type:transformer");
      text != "type:transformer" && text != "type:transformer|embedding")
    f.error(method, "expected type:transformer or type:transformer|embedding, got '" + text + "'");
  const char* host = "--checkpoint-in-cpu";
  if (f.has(host)) f.put("parallelism.offload.activations", 1, host);
}

void deepspeed_software(Flags& f) {
  attention(f);
  if (f.count_of("parallelism.cp", 1) > 1) f.put("software.context", "all-to-all", "--ds-sequence-parallel-size");
}

}  // namespace planner::megatron
