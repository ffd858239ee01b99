// The flags of Megatron-LM: one row each (megatron_table.cc).
#pragma once

#include <span>

namespace planner::megatron {

/// A flag that is a field: of its value, or, for a switch, of `value`.
struct FieldFlag {
  const char *name, *field;
  const char* value = nullptr;
};
std::span<const FieldFlag> field_flags();

/// A module that is computed again, or whose input is offloaded: its word in a scenario and in Megatron-LM.
struct ModuleWord {
  const char *ours, *theirs;
};
inline constexpr ModuleWord kRecomputedModules[] = {{"core-attention", "core_attn"},
                                                    {"latent-up", "mla_up_proj"},
                                                    {"expert-activation", "moe_act"},
                                                    {"norm", "layernorm"},
                                                    {"mlp", "mlp"},
                                                    {"experts", "moe"},
                                                    {"shared-experts", "shared_experts"}};
inline constexpr ModuleWord kOffloadedModules[] = {{"attention-norm", "attn_norm"},  {"qkv", "qkv_linear"},
                                                   {"core-attention", "core_attn"},  {"attention-output", "attn_proj"},
                                                   {"mlp-norm", "mlp_norm"},         {"expert-input", "expert_fc1"},
                                                   {"expert-activation", "moe_act"}, {"expert-mlp", "fused_group_mlp"}};

/// Returns the flags that a rule (megatron_*.cc) reads, since they mean something together with others: those with a
/// value, and switches.
std::span<const char* const> rule_flags();
std::span<const char* const> rule_switches();

/// Returns the flags whose effect no field has; each is a warning.
std::span<const char* const> lost_flags();

/// Returns the flags that do not change a plan: data, logs, checkpoints, initial values, learning rates. A trailing '*'
/// matches any ending.
std::span<const char* const> idle_flags();

}  // namespace planner::megatron
