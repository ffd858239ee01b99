// DeepSpeed: its JSON (deepspeed.ai/docs/config-json), and the flags of Megatron-DeepSpeed's megatron/arguments.py, a
// fork of Megatron-LM whose names differ for experts, sequences and recompute.
#include "planner/export/core_rules.h"
#include "planner/export/table.h"
#include "planner/workload/partition.h"
#include "planner/workload/placement.h"

namespace planner::exporting {
namespace {

void launch(Writer& w) {
  if (!fills_nodes(w)) return;
  w.put("--num_nodes", nodes(w.s));
  w.put("--num_gpus", gpus_per_node(w.s));
  w.put_switch("--deepspeed");
  w.put_word("--deepspeed_config", "ds_config.json");
}

void pipeline(Writer& w) {
  if (has_pipeline(w.s)) w.put("--pipeline-model-parallel-size", w.value());
  else w.put_switch("--no-pipeline-parallel");
}

void schedule(Writer& w) {
  const std::string name = schedule_name(w.s);
  if (!has_pipeline(w.s)) return w.refuse_at(schedule_field(w.s), "a stage alone has no schedule");
  if (name == "zb-h1") return w.put_switch("--enable-zbh1-pipeline");
  if (name != "1f1b" && name != "interleaved") w.refuse_at(schedule_field(w.s), "its engine has 1f1b and zb-h1");
}

/// Ulysses: tokens to heads and back; it excludes Megatron's sequence parallelism.
void context(Writer& w) {
  if (w.s.software.context != Context::all_to_all)
    return w.refuse("its sequence parallelism exchanges heads", "software.context: all-to-all");
  if (w.s.parallelism.sequence_parallel) return w.refuse("it excludes sequence_parallel");
  w.put("--ds-sequence-parallel-size", w.s.parallelism.cp);
}

void zero(Writer& w) {
  const int64_t stage = w.s.parallelism.zero;
  if (stage > 1 && has_pipeline(w.s)) return w.refuse("its pipeline engine goes with stages 0 and 1");
  const bool half = w.s.job.precision == Precision::bf16 || w.s.job.precision == Precision::fp8;
  const bool has_copies = data_ranks(w.s.parallelism) > 1 || (w.s.model.experts.count > 0 && expert_copies(w.s) > 1);
  if (stage == 0 && half && has_copies)
    return w.refuse("its optimizer for bf16 shards the states (runtime/bf16_optimizer.py)", "zero 1");
  w.put("--zero-stage", stage);
  w.put("zero_optimization.stage", stage);
}

/// DeepSpeed keeps its old mechanism beside Megatron's.
void recompute(Writer& w) {
  if (recomputes_part(w.s)) return w.put_word("--recompute-granularity", "selective");
  w.put_switch("--checkpoint-activations");
  w.put_switch("--deepspeed-activation-checkpointing");
  w.put("--checkpoint-num-layers", w.s.parallelism.recompute_every);
}

void offload_optimizer(Writer& w) {
  if (put_states_offload(w)) w.put_switch("--cpu-optimizer");
}

void microbatch(Writer& w) {
  const Parallelism& p = w.s.parallelism;
  w.put("--micro-batch-size", p.microbatch);
  w.put("train_micro_batch_size_per_gpu", p.microbatch);
  w.put("gradient_accumulation_steps", w.s.job.global_batch / (p.microbatch * p.dp));
}

void global_batch(Writer& w) {
  w.put("--global-batch-size", w.value());
  w.put("train_batch_size", w.value());
}

void precision(Writer& w) {
  const Precision p = w.s.job.precision;
  if (p == Precision::tf32 || p > Precision::fp8) return w.refuse("it has fp32, fp16, bf16 and fp8");
  if (p == Precision::fp32) return;
  const std::string name = p == Precision::fp16 ? "fp16" : "bf16";
  w.put_switch("--" + name);
  w.put(name + ".enabled", "true");
  if (p != Precision::fp8) return;
  w.put_word("--transformer-impl", "transformer_engine");
  w.put_switch("--fp8-hybrid");
}

void optimizer(Writer& w) { put_adam_or_sgd(w, "--optimizer"); }

void capacity(Writer& w) {
  if (w.s.job.routing.capacity == 0) w.put_switch("--disable-moe-token-dropping");
  else w.put("--moe-train-capacity-factor", w.value());
}

void kv_heads(Writer& w) {
  if (w.s.model.kv_heads != w.s.model.heads) w.put("--num-key-value-heads", w.value());
}

void positions(Writer& w) {
  const Model& m = w.s.model;
  if (m.rotary && m.positions > 0) return w.refuse("learned and rotary positions exclude each other");
  if (m.rotary) w.put_switch("--use-rotary-position-embeddings");
  else if (m.positions == 0) w.put_switch("--no-position-embedding");
  w.put("--max-position-embeddings", m.positions > 0 ? m.positions : w.s.job.sequence);
}

void activation(Writer& w) {
  const Model& m = w.s.model;
  if (m.gated_mlp && m.activation == Activation::silu) return w.put_switch("--swiglu");
  if (m.gated_mlp) return w.refuse("gated layers have SiLU alone");
  if (m.activation == Activation::squared_relu) return w.put_switch("--squared-relu");
  if (m.activation != Activation::gelu) w.refuse("without gates there are gelu and squared-relu");
}

void dropout(Writer& w) { put_dropout(w, "--hidden-dropout", "--attention-dropout"); }

void attention(Writer& w) {
  constexpr struct {
    const char *ours, *theirs;
  } kKernels[] = {{"flash1", "--use-flash-attn-v1"},
                  {"flash2", "--use-flash-attn-v2"},
                  {"triton-flash", "--use-flash-attn-triton"}};
  if (w.value() == "unfused") return;
  for (const auto& row : kKernels)
    if (w.value() == row.ours) return w.put_switch(row.theirs);
  w.refuse("", "it knows unfused, flash1, flash2, triton-flash");
}

void expert_tensor(Writer& w) {
  const Parallelism& p = w.s.parallelism;
  if (p.etp == p.tp && p.tp > 1) return w.put_switch("--enable-expert-tensor-parallelism");
  if (p.etp != 1) w.refuse("experts are split as the other layers, or not at all");
}

void experts(Writer& w) {
  if (w.s.model.experts.count == 1) return w.refuse("one expert is a dense MLP", "model.experts.count: 0");
  w.put("--num-experts", w.value());
}

constexpr ExportRow kRows[] = {
    {.field = "parallelism.dp", .rule = launch},
    {.field = "parallelism.pp", .rule = pipeline},
    {.field = "parallelism.interleave", .hint = "its engine has one part a stage"},
    {.field = "parallelism.stages",
     .rule =
         [](Writer& w) {
           if (w.slot().given && !is_even(w.s)) w.refuse("layers are spread evenly");
         }},
    {.field = "parallelism.schedule", .rule = schedule},
    {.field = "software.context", .rule = context},
    {.field = "parallelism.cp", .with = "software.context"},
    {.field = "parallelism.etp", .rule = expert_tensor},
    {.field = "parallelism.sequence_parallel", .name = "--sequence-parallel", .on = "true"},
    {.field = "parallelism.zero", .rule = zero},
    {.field = "parallelism.offload.optimizer", .when = offloads_optimizer, .rule = offload_optimizer},
    {.field = "parallelism.recompute", .when = recomputes, .rule = recompute},
    {.field = "parallelism.recompute_layers", .only = "0"},
    {.field = "parallelism.microbatch", .rule = microbatch},
    {.field = "job.global_batch", .rule = global_batch},
    {.field = "job.tokens", .rule = [](Writer& w) { w.put("--train-tokens", w.value()); }},
    {.field = "job.precision", .rule = precision},
    {.field = "job.optimizer", .rule = optimizer},
    {.field = "job.routing.capacity", .rule = capacity},

    {.field = "model.operators*", .rule = refuse_operators},
    {.field = "model.pattern", .rule = refuse_pattern},
    {.field = "model.kv_heads", .rule = kv_heads},
    {.field = "model.head_dim", .name = "--kv-channels"},
    {.field = "model.vocab", .rule = put_vocab},
    {.field = "model.positions", .rule = positions},
    {.field = "model.activation", .rule = activation},
    {.field = "model.dropout", .rule = dropout},
    {.field = "model.latent.rank", .hint = "Megatron-LM has latent attention"},
    {.field = "model.experts.count", .when = is_mixture, .rule = experts},
    {.field = "model.experts.ffn",
     .rule =
         [](Writer& w) {
           if (w.s.model.experts.ffn != w.s.model.ffn) w.refuse("experts are as wide as the MLP, model.ffn");
         }},

    {.field = "software.attention", .rule = attention},
    {.field = "software.fusion.gradient", .hint = "its optimizer for bf16 adds the gradients"},
    {.field = "software.overlap.parameters",
     .when = shards,
     .rule =
         [](Writer& w) {
           const OverlapHabits& o = w.s.software.overlap;
           if (o.parameters != o.gradients) w.refuse("overlap_comm is one switch for gradients and parameters");
         }},
    {.field = "software.fsdp", .hint = "software: {use: megatron-deepspeed}"}};

// Flags that its own table has, or that of Megatron-LM.
constexpr const char* kFlagFields[] = {
    // the layout and the job
    "parallelism.tp", "parallelism.ep", "job.sequence",
    // the model
    "model.layers", "model.hidden", "model.ffn", "model.heads", "model.tied_embeddings", "model.bias", "model.norm",
    "model.experts.top_k", "model.experts.every",
    // software
    "software.fusion.softmax", "software.fusion.bias_activation", "software.fusion.bias_dropout_add",
    "software.scatter_gather"};

}  // namespace

std::span<const ExportRow> deepspeed_rows() {
  static const std::vector<ExportRow> kAll =
      joined({kRows, rows_of_flags(kFlagFields, megatron::megatron_deepspeed()), deepspeed_json_rows()});
  return kAll;
}

std::string deepspeed_text(const std::vector<Setting>& settings) {
  return "cat > ds_config.json <<'EOF'\n" + render_json(settings) + "EOF\n" +
         render_launch("deepspeed", {"--num_nodes", "--num_gpus"}, "pretrain_gpt.py", settings);
}

}  // namespace planner::exporting
