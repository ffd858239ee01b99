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

/// Returns the flags that a rule (megatron_*.cc) reads, since they mean something together with others: those with a
/// value, and switches.
std::span<const char* const> rule_flags();
std::span<const char* const> rule_switches();

/// Returns the flags whose effect no field has; each is a warning.
std::span<const char* const> lost_flags();

/// Returns the flags that change nothing in a plan: data, logs, checkpoints, initial values, learning rates. A last '*'
/// stands for any ending.
std::span<const char* const> idle_flags();

}  // namespace planner::megatron
