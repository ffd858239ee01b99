// The flags of Megatron-LM (megatron_table.cc) and of Megatron-DeepSpeed (megatron_deepspeed_table.cc): one row each,
// for imports and exports.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/import/megatron_unread.h"

namespace planner::megatron {

/// A value of a field, as a scenario and as a program write it. Where one word of theirs stands for two of ours, the
/// first is read.
struct ProgramWord {
  const char *ours, *theirs;
};

/// A flag that is a field: of its value, of the word for it, or, for a switch, of `value`. Exports write the first flag
/// of a field.
struct FieldFlag {
  const char *name, *field;
  const char* value = nullptr;
  std::span<const ProgramWord> words = {};
  const char* absent = nullptr;  // the field's value without such a flag, where the software's profile says another
  const char* needs = nullptr;   // the flag has no effect without this one
};

inline constexpr ProgramWord kContexts[] = {{"ring", "p2p"}, {"all-to-all", "a2a"}, {"all-to-all-ring", "a2a+p2p"}};
inline constexpr ProgramWord kDispatchers[] = {
    {"all-to-all", "alltoall"}, {"all-gather", "allgather"}, {"per-node", "flex"}, {"hybrid", "flex"}};
inline constexpr ProgramWord kRecipes[] = {{"delayed", "delayed"}, {"current", "tensorwise"}, {"block", "blockwise"}};
inline constexpr ProgramWord kBackends[] = {
    {"te", "auto"}, {"flash2", "flash"}, {"cudnn-fused", "fused"}, {"unfused", "unfused"}, {"unfused", "local"}};
inline constexpr ProgramWord kStrategies[] = {
    {"0", "no_shard"}, {"1", "optim"}, {"2", "optim_grads"}, {"3", "optim_grads_params"}};

/// Modules that are computed again, or whose input is offloaded.
inline constexpr ProgramWord kRecomputedModules[] = {{"core-attention", "core_attn"},
                                                     {"latent-up", "mla_up_proj"},
                                                     {"expert-activation", "moe_act"},
                                                     {"norm", "layernorm"},
                                                     {"mlp", "mlp"},
                                                     {"experts", "moe"},
                                                     {"shared-experts", "shared_experts"}};
inline constexpr ProgramWord kOffloadedModules[] = {
    {"attention-norm", "attn_norm"},  {"qkv", "qkv_linear"},
    {"core-attention", "core_attn"},  {"attention-output", "attn_proj"},
    {"mlp-norm", "mlp_norm"},         {"expert-input", "expert_fc1"},
    {"expert-activation", "moe_act"}, {"expert-mlp", "fused_group_mlp"}};

/// What a program does with a flag, as far as plans go.
enum class FlagRole {
  unknown,
  field,    // its value, or `value`, is that of a field
  rule,     // a rule (megatron_*.cc) reads it, since it means something together with others
  on_rule,  // likewise, a switch
  refused,  // it changes the model or the memory as no field does: an error
  lost,     // no field has its effect: a warning
  idle,     // data, logs, checkpoints, initial values, learning rates: it changes no plan
};

/// The flags of a program.
struct ProgramFlags {
  const char* title;
  std::span<const FieldFlag> fields;
  std::span<const char*const> rules, on_rules;
  std::span<const RefusedFlag> refused;
  std::span<const LostFlag> lost;
  std::span<const char* const> idle;
  const ProgramFlags* base = nullptr;  // of a fork: the table of the flags that it kept as they were

  FlagRole role_of(std::string_view flag) const;
  /// Returns whether a plan depends on the flag.
  bool reads(std::string_view flag) const;
  /// Returns whether the flag takes no value, as far as the table knows.
  bool is_switch(std::string_view flag) const;
  /// Returns null if the flag is not a field.
  const FieldFlag* field_of(std::string_view flag) const;
  /// Likewise, of a flag whose effect is lost, and of a refused one.
  const LostFlag* lost_of(std::string_view flag) const;
  const RefusedFlag* refused_of(std::string_view flag) const;
  std::vector<std::string> names() const;
};

/// Returns the word for a value, "" for one without.
std::string ours_of(std::span<const ProgramWord> words, std::string_view theirs);

const ProgramFlags& megatron_lm();
/// DeepSpeed's fork of Megatron-LM (github.com/microsoft/Megatron-DeepSpeed, and that of BigScience).
const ProgramFlags& megatron_deepspeed();

}  // namespace planner::megatron
