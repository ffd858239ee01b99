// The keys of DeepSpeed's configuration and the flags of a launch line: one row each (deepspeed_table.cc).
#pragma once

#include <span>

namespace planner::deepspeed {

/// A key, by its dotted path, whose value is that of a field.
struct FieldKey {
  const char *key, *field;
  bool truth = false;  // true or false; else a number
};
std::span<const FieldKey> field_keys();

/// Returns the keys that a rule (deepspeed_*.cc) reads.
std::span<const char* const> rule_keys();
/// Returns the keys whose effect no field has; each that is set is a warning.
std::span<const char* const> lost_keys();
/// Returns the keys that change nothing in a plan. A section stands for all that is in it.
std::span<const char* const> idle_keys();

/// Returns the flags of launchers and of the Trainer that a rule reads, and those whose effect no field has.
std::span<const char* const> rule_flags();
std::span<const char* const> lost_flags();

}  // namespace planner::deepspeed
