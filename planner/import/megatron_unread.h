// Flags of Megatron-LM that no field has: those of an effect (megatron_unread.cc), and the others (megatron_idle.cc).
#pragma once

#include <span>

namespace planner::megatron {

/// A flag whose effect is small and is left out, with a warning.
struct LostFlag {
  const char* name;
  /// The value with which it changes nothing; "--flag": that flag's value, or 1.
  const char* usual = "";
  /// The flag without which it changes nothing.
  const char* needs = "";
};

/// A flag that changes the model or the memory as no field does: an error.
struct RefusedFlag {
  const char* name;
  const char* change;  // a phrase behind the name: "freezes weights"
  const char* hint = "";
  const char* usual = "";  // as of a LostFlag
  const char* needs = "";
};

std::span<const LostFlag> lost_flags();
std::span<const RefusedFlag> refused_flags();
std::span<const char* const> idle_flags();

}  // namespace planner::megatron
