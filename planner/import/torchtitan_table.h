// The keys of torchtitan: one row each (torchtitan_table.cc).
#pragma once

#include "planner/import/megatron_table.h"
#include "planner/import/settings.h"

namespace planner::torchtitan {

/// Of the releases that read TOML, and of the newest, which Python configures.
const KeyTable& key_table();
const KeyTable& newest_table();

/// Returns what a key is called in the newest release.
std::string newest_name(std::string_view key);

/// Schedules of PyTorch, which finds them whatever the case of their letters: the names of today.
inline constexpr megatron::ProgramWord kTitanSchedules[] = {{"1f1b", "1F1B"},
                                                            {"gpipe", "GPipe"},
                                                            {"interleaved", "Interleaved1F1B"},
                                                            {"zb-v", "ZBVZeroBubble"},
                                                            {"dualpipe-v", "DualPipeV"}};
/// What a selective mode repeats.
inline constexpr megatron::ProgramWord kTitanOptions[] = {{"every-second-layer", "2"}, {"every-second-matmul", "op"}};

/// The default of a key.
struct Default {
  const char *key, *value;
};
std::span<const Default> defaults();

/// Returns the default of a key, or "".
const char* default_of(std::string_view key);

}  // namespace planner::torchtitan
