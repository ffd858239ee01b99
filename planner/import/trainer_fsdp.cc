// FSDP, meshes and Megatron-LM under accelerate (accelerate/utils/dataclasses.py, parallelism_config.py).
#include <fmt/format.h>

#include <algorithm>

#include "dsl/raw_text.h"
#include "planner/import/launch_size.h"
#include "planner/import/trainer_config.h"

namespace planner::trainer {
namespace {

using megatron::Flags;

std::string upper(std::string word) {
  std::ranges::transform(word, word.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  return word;
}

/// Strategies of FSDP 1 by name and number; those of the Trainer's --fsdp are the same in small letters.
struct ShardStrategy {
  const char *name, *number;
  int zero;
  bool in_node;  // one shard group in each node
};
constexpr ShardStrategy kStrategies[] = {{"FULL_SHARD", "1", 3, false},
                                         {"SHARD_GRAD_OP", "2", 2, false},
                                         {"NO_SHARD", "3", 0, false},
                                         {"HYBRID_SHARD", "4", 3, true},
                                         {"HYBRID_SHARD_ZERO2", "5", 2, true}};

void put_strategy(Flags& f, const std::string& word, const char* flag) {
  for (const ShardStrategy& row : kStrategies) {
    if (upper(word) != row.name && word != row.number) continue;
    f.put("parallelism.zero", row.zero, flag);
    if (row.in_node) f.put("parallelism.zero_group", "min(dp, cluster.gpus_per_node)", flag);
    return;
  }
  f.error(flag, "unknown strategy '" + dsl::shortened(word) + "' of FSDP",
          "known: FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, HYBRID_SHARD, HYBRID_SHARD_ZERO2");
}

/// FSDP 2 has a switch where FSDP 1 has a strategy.
void reshard(Flags& f) {
  const char *key = "--fsdp_reshard_after_forward", *old = "--fsdp_sharding_strategy", *version = "--fsdp_version";
  const bool second = f.text(version, "1") == "2";
  const std::string word = upper(f.text(key, "true"));
  const bool truth = word == "TRUE" || word == "FALSE" || word == "YES" || word == "NO";
  if (second && f.has(key) && !truth)
    return f.error(
        key, "expected true or false for " + std::string(key) + " of FSDP 2, got '" + dsl::shortened(f.text(key)) + "'",
        "true shards parameters after the forward pass (FULL_SHARD), false keeps them (SHARD_GRAD_OP)");
  if (second) {
    if (f.has(old) && upper(f.text(old)) != "FULL_SHARD")
      f.warn(old, "has no effect with fsdp_version 2", "`fsdp_reshard_after_forward: false` keeps parameters");
    return f.put("parallelism.zero", f.is_on(key) || !f.has(key) ? 3 : 2, key);
  }
  if (f.has(old)) return put_strategy(f, f.text(old), old);
  if (f.has(key) && !truth) return put_strategy(f, f.text(key), key);
  if (f.has(key))
    return f.error(
        key, "expected a strategy for " + std::string(key) + " of FSDP 1, got '" + dsl::shortened(f.text(key)) + "'",
        "`fsdp_version: 2`, or FULL_SHARD");
  f.put("parallelism.zero", 3, old);
}

/// The words of the Trainer's own flag: "full_shard auto_wrap offload".
bool words_of_trainer(Flags& f) {
  const char* flag = "--fsdp";
  if (!f.has(flag) || f.has("--fsdp_sharding_strategy") || f.has("--fsdp_reshard_after_forward")) return false;
  bool found = false;
  for (const ShellWord& value : f.values(flag)) {
    std::string words = value.text + " ";
    std::ranges::replace(words, ',', ' ');
    for (size_t from = 0, end; (end = words.find(' ', from)) != std::string::npos; from = end + 1) {
      const std::string word = words.substr(from, end - from);
      if (word == "offload") {
        f.put("parallelism.offload.optimizer", 1, flag);
        f.put("parallelism.offload.weights", 1, flag);
      } else if (word != "auto_wrap" && word != "true" && !word.empty() && !word.ends_with(".py")) {
        put_strategy(f, word, flag);
        found = true;
      }
    }
  }
  return found;
}

int64_t degree(Flags& f, const char* flag) { return std::clamp<int64_t>(f.count(flag, 1), 1, kMostRanks); }

}  // namespace

ShardEngine engine_of(const Flags& f) {
  const std::string type = f.text("--distributed_type");
  const bool chosen = f.is_on("--multi_gpu") || f.is_on("--use_fsdp") || f.is_on("--use_deepspeed");
  if (f.is_on("--use_megatron_lm") || (type == "MEGATRON_LM" && !chosen)) return ShardEngine::megatron;
  const bool file = f.is_on("--deepspeed");
  if (f.is_on("--use_deepspeed") || (type == "DEEPSPEED" && !chosen) || file) return ShardEngine::deepspeed;
  if (f.is_on("--use_fsdp") || (type == "FSDP" && !chosen)) return ShardEngine::fsdp;
  const bool whole = f.has("--fsdp") || (type.empty() && f.has("--fsdp_version")) ||
                     (type.empty() && f.has("--fsdp_transformer_layer_cls_to_wrap"));
  return whole && (!f.has("--fsdp") || f.is_on("--fsdp")) ? ShardEngine::fsdp : ShardEngine::replicas;
}

void fsdp_rules(Flags& f) {
  const char *version = "--fsdp_version", *host = "--fsdp_offload_params", *wrap = "--fsdp_auto_wrap_policy";
  if (f.has(version) && f.text(version) != "1" && f.text(version) != "2")
    return f.error(version, "FSDP has versions 1 and 2, not '" + dsl::shortened(f.text(version)) + "'");
  if (!words_of_trainer(f)) reshard(f);
  if (f.is_on(host)) {
    f.put("parallelism.offload.optimizer", 1, host);
    if (f.count_of("parallelism.zero", 0) == 3) f.put("parallelism.offload.weights", 1, host);
  }
  const char* again = "--fsdp_activation_checkpointing";
  if (f.is_on(again)) f.put("parallelism.recompute", "full", again);
  const std::string policy = upper(f.text(wrap, "TRANSFORMER_BASED_WRAP"));
  if (policy == "NO_WRAP" || policy == "SIZE_BASED_WRAP")
    f.warn(wrap, "'" + policy + "' is planned as a unit for each layer (TRANSFORMER_BASED_WRAP)");
  else if (policy != "TRANSFORMER_BASED_WRAP")
    f.error(wrap, "unknown policy '" + dsl::shortened(f.text(wrap)) + "'",
            "known: TRANSFORMER_BASED_WRAP, SIZE_BASED_WRAP, NO_WRAP");
}

bool mesh_rules(Flags& f) {
  const char *shard = "--parallelism_config_dp_shard_size", *replicate = "--parallelism_config_dp_replicate_size",
             *tensor = "--parallelism_config_tp_size", *context = "--parallelism_config_cp_size",
             *heads = "--parallelism_config_sp_size", *experts = "--expert_parallel_size";
  const int64_t copies = degree(f, replicate), tp = degree(f, tensor), cp = degree(f, context), sp = degree(f, heads);
  if (tp > 1) f.put("parallelism.tp", tp, tensor);
  if (cp > 1 && sp > 1) {
    f.error(heads, "context and sequence parallelism exclude each other");
    return false;
  }
  if (cp > 1) f.put("parallelism.cp", cp, context);
  if (sp > 1) f.put("parallelism.cp", sp, heads);
  if (sp > 1) f.put("software.context", "all-to-all", heads);
  if (degree(f, experts) > 1) f.put("parallelism.ep", degree(f, experts), experts);
  if (copies > 1) f.put("parallelism.zero_group", fmt::format("dp * cp / {}", copies), replicate);
  const int64_t all = copies * degree(f, shard) * tp * cp * sp, gpus = all > 1 ? processes(f) : 0;
  const bool open = !f.has(shard) && !f.has(replicate);  // the data ranks are what is left
  if (gpus == 0 || (open ? gpus % all == 0 : gpus == all)) return true;
  const char* flag = f.has(shard) ? shard : f.has(replicate) ? replicate : f.has(tensor) ? tensor : context;
  f.error(flag, fmt::format("the sizes of the mesh multiply to {}, and there are {} processes", all, gpus));
  return false;
}

void megatron_rules(Flags& f) {
  constexpr megatron::FieldFlag kDegrees[] = {{"--megatron_lm_tp_degree", "parallelism.tp"},
                                              {"--megatron_lm_pp_degree", "parallelism.pp"},
                                              {"--megatron_lm_context_parallel_size", "parallelism.cp"},
                                              {"--megatron_lm_expert_model_parallel_size", "parallelism.ep"},
                                              {"--megatron_lm_expert_tensor_parallel_size", "parallelism.etp"}};
  for (const auto& row : kDegrees)
    if (f.has(row.name)) f.put(row.field, degree(f, row.name), row.name);
  const char *sequence = "--megatron_lm_sequence_parallelism", *again = "--megatron_lm_recompute_activations",
             *kind = "--megatron_lm_recompute_granularity", *shards = "--megatron_lm_use_distributed_optimizer",
             *host = "--megatron_lm_optimizer_cpu_offload", *batches = "--megatron_lm_num_micro_batches";
  if (f.is_on(sequence) && f.count_of("parallelism.tp", 1) > 1)
    f.put("parallelism.sequence_parallel", "true", sequence);
  if (f.is_on(again)) f.put("parallelism.recompute", f.text(kind, "selective"), f.has(kind) ? kind : again);
  f.put("parallelism.zero", f.is_on(shards) ? 1 : 0, shards);
  if (f.is_on(host)) f.put("parallelism.offload.optimizer", 1, host);
  if (f.has(batches))
    f.put("job.global_batch", fmt::format("{} * parallelism.microbatch * parallelism.dp", f.count(batches, 1)),
          batches);
}

}  // namespace planner::trainer
