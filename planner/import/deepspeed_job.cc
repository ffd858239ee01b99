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

struct OptimizerWord {
  const char *theirs, *ours;
};
constexpr OptimizerWord kOptimizers[] = {
    {"adam", "adam"}, {"adamw", "adam"}, {"fusedadam", "adam"}, {"cpuadam", "adam"}, {"deepspeedcpuadam", "adam"},
    {"lamb", "lamb"}, {"sgd", "sgd"},    {"muon", "muon"}};
constexpr OptimizerWord kOptims[] = {{"adamw_torch", "adam"},
                                     {"adamw_torch_fused", "adam"},
                                     {"adamw_hf", "adam"},
                                     {"adamw_apex_fused", "adam"},
                                     {"sgd", "sgd"},
                                     {"muon", "muon"},
                                     {"adafactor", "adafactor"},
                                     {"adamw_8bit", "adam-8bit"},
                                     {"adamw_bnb_8bit", "adam-8bit"},
                                     {"adamw_torch_8bit", "adam-8bit"},
                                     {"paged_adamw_32bit", "paged-adam"},
                                     {"paged_adamw", "paged-adam"},
                                     {"paged_adamw_8bit", "paged-adam-8bit"}};

template <size_t N> std::string word(const OptimizerWord (&rows)[N], std::string theirs) {
  std::ranges::transform(theirs, theirs.begin(), dsl::small);
  for (const OptimizerWord& row : rows)
    if (theirs == row.theirs) return row.ours;
  return "";
}

void stage(Config& c) {
  const char* key = "zero_optimization.stage";
  const int64_t stage = c.count(key, 0);
  if (stage > 3) return c.error(key, fmt::format("ZeRO has stages 0 to 3, not {}", stage));
  const char* group = "zero_optimization.mics_shard_size";
  if (c.has(group) && c.text(group) != "-1") {
    if (stage == 3) c.put("parallelism.zero_group", std::to_string(c.count(group, 1)), group);
    else c.warn(group, fmt::format("'{}' has no effect below stage 3", group));
  }
  if (stage == 0) return;
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
  if (c.has(type)) c.put("software.reduce_bytes", wide ? "4" : "2", type);
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
  const char *old = "zero_optimization.cpu_offload", *weights = "zero_optimization.offload_param.device";
  if (offloads(c, states)) c.put("parallelism.offload.optimizer", stage == 3 ? c.figure(share, "1") : "1", states);
  else if (c.is_true(old)) c.put("parallelism.offload.optimizer", "1", old);
  if (!offloads(c, weights)) return;
  if (stage == 3) c.put("parallelism.offload.weights", "1", weights);
  else c.warn(weights, fmt::format("'{}' has no effect below stage 3", weights));
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

}  // namespace planner::deepspeed
