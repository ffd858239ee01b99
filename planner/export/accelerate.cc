// DeepSpeed under transformers' Trainer: its JSON, and accelerate's launch of run_clm.py
// (accelerate/commands/launch.py, transformers/training_args.py). ZeRO among all ranks, and no other parallelism; a
// model is one of the hub, or the folder of its config.json.
#include "planner/export/core_rules.h"
#include "planner/export/table.h"
#include "planner/import/deepspeed_config.h"

namespace planner::exporting {
namespace {

void launch(Writer& w) {
  if (!fills_nodes(w)) return;
  w.put("--num_machines", nodes(w.s));
  w.put("--num_processes", w.s.cluster.gpus);
}

void model(Writer& w) { put_hub_model(w, "--model_name_or_path", "--config_name"); }

void overlap(Writer& w) {
  const OverlapHabits& o = w.s.software.overlap;
  if (o.parameters != o.gradients) return w.refuse("overlap_comm is one switch for gradients and parameters");
  if (w.field().ends_with("gradients")) w.put("zero_optimization.overlap_comm", w.value());
}

void recompute(Writer& w) {
  if (recomputes_part(w.s)) return w.refuse("gradient checkpointing covers whole layers", "recompute: full");
  w.put_switch("--gradient_checkpointing");
}

/// Both files say the sizes: the Trainer refuses two that differ.
void microbatch(Writer& w) {
  const Parallelism& p = w.s.parallelism;
  const int64_t steps = w.s.job.global_batch / (p.microbatch * p.dp);
  w.put("--per_device_train_batch_size", p.microbatch);
  w.put("train_micro_batch_size_per_gpu", p.microbatch);
  w.put("--gradient_accumulation_steps", steps);
  w.put("gradient_accumulation_steps", steps);
}

void precision(Writer& w) {
  const Precision p = w.s.job.precision;
  if (p == Precision::fp32) return;
  if (p != Precision::fp16 && p != Precision::bf16) return w.refuse("it has fp32, fp16 and bf16");
  w.put_switch("--" + w.value());
  w.put(w.value() + ".enabled", "true");
}

/// DeepSpeed knows Adam to work with ZeRO; others must be allowed. The Trainer fills in the rates, and only where a key
/// says "auto" (transformers/integrations/deepspeed.py: trainer_config_process): without it they are DeepSpeed's own.
void optimizer(Writer& w) {
  put_word_of(w, "optimizer.type", std::span(deepspeed::kOptimizers).first(deepspeed::kWrittenOptimizers));
  for (const char* rate : {"lr", "betas", "eps", "weight_decay"}) {
    const bool of_moments = rate == std::string_view("betas") || rate == std::string_view("eps");
    if (!of_moments || w.value() != "sgd") w.put_word(std::string("optimizer.params.") + rate, "auto");
  }
  w.put_word("gradient_clipping", "auto");
  if (shards(w.s) && w.value() != "adam") w.put("zero_allow_untested_optimizer", "true");
}

constexpr const char* kNoDegree = "it has data parallelism and ZeRO alone: --to megatron or torchtitan";
constexpr const char* kEager = "software: {use: deepspeed}, which is transformers as it runs eagerly";

constexpr ExportRow kRows[] = {
    {.field = "parallelism.dp", .rule = launch},
    {.field = "parallelism.tp", .hint = kNoDegree},
    {.field = "parallelism.pp", .hint = kNoDegree},
    {.field = "parallelism.cp", .hint = kNoDegree},
    {.field = "parallelism.ep", .hint = kNoDegree},
    {.field = "parallelism.etp", .hint = kNoDegree},
    {.field = "parallelism.interleave", .hint = kNoDegree},
    {.field = "parallelism.schedule", .rule = refuse_schedules},
    {.field = "parallelism.sequence_parallel", .hint = kNoDegree},
    {.field = "parallelism.offload.activations", .hint = "transformers' checkpointing keeps them on the device"},
    {.field = "parallelism.recompute", .when = recomputes, .rule = recompute},
    {.field = "parallelism.recompute_every", .hint = "each layer is a checkpoint"},
    {.field = "parallelism.recompute_layers", .hint = "each layer is a checkpoint"},
    {.field = "parallelism.microbatch", .rule = microbatch},

    {.field = "model.name", .rule = model},
    {.field = "model.operators*", .rule = refuse_operators},
    {.field = "model.pattern", .rule = refuse_pattern},
    {.field = "model.*", .rule = keep_shape, .always = true},

    {.field = "job.global_batch", .name = "train_batch_size"},
    {.field = "job.sequence", .name = "--block_size"},
    {.field = "job.tokens", .rule = [](Writer& w) { w.put("--max_steps", steps(w.s)); }},
    {.field = "job.precision", .rule = precision},
    {.field = "job.optimizer", .rule = optimizer},
    {.field = "job.lora.rank", .hint = "adapters are a matter of its script (peft)"},

    {.field = "software.overlap.gradients", .when = shards, .rule = overlap},
    {.field = "software.overlap.parameters", .when = shards, .rule = overlap},
    {.field = "software.reduce_each_microbatch", .when = shards, .hint = kEager},
    {.field = "software.fsdp", .hint = kEager},
    {.field = "software.attention",
     .hint = "run_clm.py has no flag for it: leave it out, and set attn_implementation in your own script"},
    {.field = "software.fusion.softmax", .hint = kEager},
    {.field = "software.fusion.bias_dropout_add", .hint = kEager},
    {.field = "software.fusion.rope", .hint = kEager},
    {.field = "software.fusion.norm", .when = is_rms_norm, .hint = kEager},
    {.field = "software.fusion.qkv", .hint = kEager},
    {.field = "software.fusion.bias_activation", .hint = kEager},
    {.field = "software.fusion.cross_entropy", .hint = kEager},
    {.field = "software.fusion.gradient", .hint = kEager},
    {.field = "software.experts.grouped", .hint = kEager},
    {.field = "software.experts.permute", .hint = kEager}};

}  // namespace

std::span<const ExportRow> accelerate_rows() {
  static const std::vector<ExportRow> kAll = joined({kRows, deepspeed_json_rows()});
  return kAll;
}

std::string accelerate_text(const std::vector<Setting>& settings) {
  return "cat > ds_config.json <<'EOF'\n" + render_json(settings) + "EOF\n" +
         render_launch("accelerate launch --use_deepspeed --deepspeed_config_file ds_config.json",
                       {"--num_machines", "--num_processes"}, "run_clm.py", settings);
}

}  // namespace planner::exporting
