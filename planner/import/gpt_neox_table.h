// The keys of GPT-NeoX: one row each (gpt_neox_table.cc).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace planner::neox {

/// A key, and the flag of Megatron-DeepSpeed for its value, for "true", or for "false" (`off`).
struct NeoxKey {
  const char *key, *flag;
  const char* off = nullptr;
};
std::span<const NeoxKey> keys();

/// A fusion is off where its key does not switch it on.
struct NeoxFusion {
  const char *key, *field;
};
std::span<const NeoxFusion> fusions();

/// Returns whether a rule reads the key.
bool is_rule(std::string_view key);
/// Returns whether the effect of the key has no field.
bool is_lost(std::string_view key);
/// Returns whether GPT-NeoX has the key.
bool is_known(std::string_view key);
std::vector<std::string> names();

}  // namespace planner::neox
