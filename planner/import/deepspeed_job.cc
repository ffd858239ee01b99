// What the configuration says of the layout, and what it and the launch line say of the job.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "dsl/raw_text.h"
#include "planner/import/deepspeed_config.h"
#include "planner/import/field_tree.h"
#include "planner/import/hub_names.h"

namespace planner::deepspeed {
namespace {

std::string word(std::span<const megatron::ProgramWord> rows, std::string_view theirs) {
  for (const megatron::ProgramWord& row : rows)
    if (std::ranges::equal(theirs, std::string_view(row.theirs), {}, dsl::small, dsl::small)) return row.ours;
  return "";
}

/// Stage 3; of another, a warning that the key does nothing.
bool shards_weights(Config& c, const char* key) {
  if (c.count("zero_optimization.stage", 0) == 3) return true;
  c.warn(key, fmt::format("'{}' has no effect below stage 3", key));
  return false;
}

void stage(Config& c) {
  const char* key = "zero_optimization.stage";
  const int64_t stage = c.count(key, 0);
  if (stage > 3) return c.error(key, fmt::format("ZeRO has stages 0 to 3, not {}", stage));
  const char *group = "zero_optimization.mics_shard_size", *narrow = "zero_optimization.zero_quantized_weights";
  if (c.has(group) && c.text(group) != "-1" && shards_weights(c, group))
    c.put("parallelism.zero_group", std::to_string(c.count(group, 1)), group);
  if (c.is_true(narrow) && !shards_weights(c, narrow)) drop_field(c.flags.scenario, "software.gather_bytes");
  if (stage == 0) return drop_field(c.flags.scenario, "software.overlap.gradients");
  const char* overlap = "zero_optimization.overlap_comm";
  const std::string value = c.is_true(overlap, stage == 3) ? "true" : "false";
  const std::string why = c.has(overlap) ? "" : fmt::format("default of stage {}", stage);
  c.put("software.overlap.gradients", value, overlap, why);
  c.put("software.overlap.parameters", value, overlap, why);
}

/// Buckets are counted in parameters; "auto" is a square of the width (transformers' integration).
void buckets(Config& c) {
  const char *key = "zero_optimization.reduce_bucket_size", *type = "communication_data_type";
  const bool wide = c.has(type) ? c.text(type) == "fp32" : !c.has("bf16") && !c.has("fp16");
  if (c.has(key)) c.put("software.bucket_bytes", fmt::format("{} B", c.count(key, 0) * (wide ? 4 : 2)), key);
  const char* whole = "zero_optimization.stage3_param_persistence_threshold";
  if (c.is_auto(whole)) c.put("software.persistence", "10 * model.hidden", whole, "auto of the Trainer");
}

/// Whether states or weights leave the device: "none", "cpu", "nvme".
bool offloads(Config& c, const char* key) {
  const std::string device = c.text(key);
  if (device.empty() || device == "none") return false;
  if (device == "nvme") c.warn(key, "'nvme' is planned as the host's memory");
  else if (device != "cpu") c.error(key, "unknown device '" + dsl::shortened(device) + "'", "known: none, cpu, nvme");
  return true;
}

void offload(Config& c) {
  const int64_t stage = c.count("zero_optimization.stage", 0);
  const char *states = "zero_optimization.offload_optimizer.device",
             *share = "zero_optimization.offload_optimizer.ratio";
  const char *old = "zero_optimization.cpu_offload", *weights = "zero_optimization.offload_param.device",
             *old_weights = "zero_optimization.cpu_offload_param";
  if (offloads(c, states)) c.put("parallelism.offload.optimizer", stage == 3 ? c.figure(share, "1") : "1", states);
  else if (c.is_true(old)) c.put("parallelism.offload.optimizer", "1", old);
  const char* given = offloads(c, weights) ? weights : c.is_true(old_weights) ? old_weights : nullptr;
  if (given && shards_weights(c, given)) c.put("parallelism.offload.weights", "1", given);
}

/// Ranks that share a sequence exchange heads (Ulysses).
void sequence_ranks(Config& c) {
  const char* key = "sequence_parallel_size";
  if (c.has(key) && c.flags.count_of("parallelism.cp", 1) > 1) c.put("software.context", "all-to-all", key);
}

/// The section of the configuration is for models that call DeepSpeed's own checkpointing; transformers has its own.
void recompute(Config& c) {
  const char *section = "activation_checkpointing", *flag = "--gradient_checkpointing";
  if (c.is_on(flag)) return c.flags.put("parallelism.recompute", "full", flag);
  if (c.has(section))
    c.warn(section,
           "'activation_checkpointing' recomputes nothing by itself: the Trainer does with --gradient_checkpointing",
           "`--set parallelism.recompute=full` if the model calls deepspeed.checkpointing");
}

/// The word of an adapter's targets for names of modules; "": another choice, or the usual one.
std::string targets_of(const std::vector<ShellWord>& modules) {
  std::set<std::string> names;
  for (const ShellWord& word : modules) {
    std::string all = word.text;
    std::ranges::replace(all, ',', ' ');
    std::istringstream parts(all);
    for (std::string name; parts >> name;) names.insert(name);
  }
  using Names = std::set<std::string>;
  const Names qkv{"q_proj", "k_proj", "v_proj"}, mlp{"gate_proj", "up_proj", "down_proj"};
  Names attention = qkv, every = qkv;
  attention.insert("o_proj");
  every.insert("o_proj");
  every.insert(mlp.begin(), mlp.end());
  if (names == Names{"all"} || names == Names{"all-linear"} || names == every) return "all";
  if (names == Names{"q_proj", "v_proj"}) return "qv";
  if (names == qkv) return "qkv";
  if (names == attention) return "attention";
  return names == mlp ? "mlp" : "";
}

/// The first of these flags that is given.
const char* given(const Config& c, std::initializer_list<const char*> flags) {
  for (const char* flag : flags)
    if (c.flags.has(flag)) return flag;
  return nullptr;
}

/// Adapters: a rank of 16 by default (TRL's ModelConfig), 8 (LLaMA-Factory).
void adapters(Config& c) {
  const char *rank = given(c, {"--lora_r", "--lora_rank"}), *type = "--finetuning_type";
  const bool is_lora = rank || c.is_on("--use_peft") || c.flags.text(type) == "lora";
  const char* bits = given(c, {"--load_in_4bit", "--load_in_8bit", "--quantization_bit"});
  const bool denied = c.flags.has("--use_peft") && !c.is_on("--use_peft");
  if (!is_lora || denied || (rank && c.flags.count(rank, 1) == 0)) return;
  const bool of_factory = c.flags.has(type);
  c.flags.put("job.lora.rank",
              rank         ? c.flags.count(rank, 16)
              : of_factory ? 8
                           : 16,
              rank         ? rank
              : of_factory ? type
                           : "--use_peft");
  if (const char* flag = given(c, {"--lora_target_modules", "--lora_target"})) {
    const std::string targets = targets_of(c.flags.values(flag));
    if (!targets.empty()) c.flags.put("job.lora.targets", targets, flag);
    else c.flags.warn(flag, "no choice of ours: adapters are planned for all of attention's layers");
  }
  if (!bits || (std::string_view(bits) != "--quantization_bit" && !c.is_on(bits))) return;
  const bool narrow = std::string_view(bits) == "--load_in_4bit" || c.flags.text(bits) == "4";
  c.flags.put("job.task", "qlora", bits);
  c.flags.put("job.lora.base", narrow ? "nf4" : "int8", bits);
}

enum class TypeChoice { no, yes, open };

TypeChoice has_type(Config& c, const char* key, const char* flag) {
  if (c.has(key)) return c.is_true(key) ? TypeChoice::yes : TypeChoice::no;
  if (c.is_on(flag)) return TypeChoice::yes;
  return c.is_auto(key) && !c.launched ? TypeChoice::open : TypeChoice::no;
}

void precision(Config& c) {
  const TypeChoice brain = has_type(c, "bf16.enabled", "--bf16"), half = has_type(c, "fp16.enabled", "--fp16");
  if (brain == TypeChoice::yes && half == TypeChoice::yes)
    return c.error("fp16.enabled", "bf16 and fp16 exclude each other", "\"enabled\": false in one of them");
  if (brain == TypeChoice::yes) return c.put("job.precision", "bf16", "bf16.enabled");
  if (half == TypeChoice::yes) return c.put("job.precision", "fp16", "fp16.enabled");
  if (brain == TypeChoice::open || half == TypeChoice::open)
    return c.flags.leave_open("job.precision", "bf16, fp16 or fp32: --bf16, --fp16");
  c.put("job.precision", "fp32", "bf16", "and fp16 are not enabled");
}

std::string field_text(const Config& c, const char* path) {
  const dsl::Node* node = c.flags.field(path);
  return node ? node->text : "";
}

/// Gradients of another type than the weights (deepspeed/runtime/engine.py: _do_optimizer_sanity_check). Without shards
/// of gradients the optimizer for bf16 adds up in fp32 beside those of the model.
void gradient_type(Config& c) {
  constexpr megatron::ProgramWord kTypes[] = {{"fp32", "fp32"},     {"fp32", "float32"}, {"bf16", "bf16"},
                                              {"bf16", "bfloat16"}, {"fp16", "fp16"},    {"fp16", "float16"}};
  const char* key = "data_types.grad_accum_dtype";
  const std::string type = word(kTypes, c.text(key)), model = field_text(c, "job.precision");
  const int64_t stage = c.flags.count_of("parallelism.zero", 0);
  if (!c.has(key) || type == model || (model == megatron::kFillIn && !type.empty() && type != "fp32")) return;
  if (type.empty())
    return c.error(key, "unknown type '" + dsl::shortened(c.text(key)) + "'", "known: fp32, bf16, fp16");
  if (stage == 0 || type != "fp32")
    return c.error(key,
                   fmt::format("DeepSpeed adds gradients of {} up in that type{}", model,
                               stage == 0 ? " without ZeRO" : ", or in fp32"),
                   "\"grad_accum_dtype\": null");
  const bool beside = stage == 1 && model == "bf16" && !c.flags.field("parallelism.offload.optimizer");
  c.put("software.memory.gradient", beside ? "6" : "4", key);
}

/// Masters in bf16, and moments in bf16 or, on the host, in fp32 (deepspeed/runtime/base_optimizer.py:
/// _configure_master_weights). In stage 3 the shards of the weights are their own masters (zero/stage3.py).
void narrow_states(Config& c) {
  const char *masters = "bf16.bf16_master_weights_and_grads", *moments = "bf16.bf16_optimizer_states";
  const int64_t stage = c.flags.count_of("parallelism.zero", 0);
  const bool on_host = c.flags.field("parallelism.offload.optimizer");
  if (!c.is_true(masters)) {
    if (c.is_true(moments))
      c.error(moments, "bf16_optimizer_states needs bf16 masters", "\"bf16_master_weights_and_grads\": true");
    return;
  }
  if (stage == 0)
    return c.error(masters, "DeepSpeed keeps bf16 masters with ZeRO alone", "\"zero_optimization\": {\"stage\": 1}");
  if (!c.is_true(moments) && !on_host)
    return c.error(masters, "bf16 masters need moments in bf16 or on the host", "\"bf16_optimizer_states\": true");
  c.put("software.memory.optimizer",
        !c.is_true(moments)      ? "10"
        : stage == 3 && !on_host ? "4"
                                 : "6",
        c.is_true(moments) ? moments : masters);
  c.put("software.memory.step_copy", "0", masters);
}

void optimizer(Config& c) {
  const char *key = "optimizer.type", *flag = "--optim";
  const std::string ours =
      c.has(key) ? word(kOptimizers, c.text(key)) : word(kOptims, c.flags.text(flag, "adamw_torch"));
  if (!ours.empty() && c.has(key)) return c.put("job.optimizer", ours, key);
  if (!ours.empty() && c.flags.has(flag)) return c.flags.put("job.optimizer", ours, flag);
  if (c.has(key)) c.warn(key, "'" + dsl::shortened(c.text(key)) + "' is planned as adam");
  else if (c.flags.has(flag)) c.flags.warn(flag, "'" + dsl::shortened(c.flags.text(flag)) + "' is planned as adam");
}

void sequence(Config& c) {
  for (const char* flag : {"--max_seq_length", "--max_length", "--block_size", "--model_max_length", "--cutoff_len"})
    if (c.flags.has(flag)) return c.flags.put("job.sequence", c.flags.count(flag, 1), flag);
  c.flags.leave_open("job.sequence", "tokens in one sequence");
}

void length_of_run(Config& c) {
  if (c.flags.text("--max_steps").starts_with('-')) return;  // -1: epochs say how long it is
  const int64_t steps = c.flags.count("--max_steps", 0);
  if (steps > 0) c.flags.put("job.tokens", fmt::format("{} * job.global_batch * job.sequence", steps), "--max_steps");
}

/// A folder is read for its config.json; a name of the hub is looked up among ours.
void model(Config& c) {
  if (c.flags.field("model.use")) return;
  for (const char* flag : {"--config_name", "--model_name_or_path"}) {
    const std::string name = c.flags.text(flag);
    if (name.starts_with('/') || name.starts_with('.'))
      return put_field(c.flags.scenario, "model.use", value_node("hf:" + name, {}, flag, true));
    if (const std::string ours = model_named(name); !ours.empty()) return c.flags.put("model.use", ours, flag);
  }
  const std::string name = c.flags.text("--model_name_or_path");
  c.flags.leave_open("model.use", "a model of `trainplan list model`, or hf:PATH with its config.json" +
                                      (name.empty() ? "" : ", for " + dsl::shortened(name)));
}

}  // namespace

void zero_rules(Config& c) {
  stage(c);
  sequence_ranks(c);
  buckets(c);
  offload(c);
}

void layout_rules(Config& c) {
  zero_rules(c);
  recompute(c);
}

void job_rules(Config& c) {
  model(c);
  sequence(c);
  length_of_run(c);
  precision(c);
  optimizer(c);
  adapters(c);
}

void state_rules(Config& c) {
  gradient_type(c);
  narrow_states(c);
}

}  // namespace planner::deepspeed
