// The table of `import deepspeed`, and rules beyond the table, one file each.
#pragma once

#include "planner/import/settings.h"

namespace planner::deepspeed {

using Config = Settings;

/// Optimizers by DeepSpeed's `optimizer.type`, in letters of any size, and by the Trainer's --optim. Exports write the
/// first ones.
inline constexpr megatron::ProgramWord kOptimizers[] = {{"adam", "AdamW"},
                                                        {"sgd", "SGD"},
                                                        {"lamb", "Lamb"},
                                                        {"adam", "Adam"},
                                                        {"adam", "FusedAdam"},
                                                        {"adam", "CPUAdam"},
                                                        {"adam", "DeepSpeedCPUAdam"},
                                                        {"muon", "Muon"}};
inline constexpr megatron::ProgramWord kOptims[] = {{"adam", "adamw_torch"},
                                                    {"sgd", "sgd"},
                                                    {"adafactor", "adafactor"},
                                                    {"adam-8bit", "adamw_8bit"},
                                                    {"paged-adam", "paged_adamw_32bit"},
                                                    {"paged-adam-8bit", "paged_adamw_8bit"},
                                                    {"adam", "adamw_torch_fused"},
                                                    {"adam", "adamw_hf"},
                                                    {"adam", "adamw_apex_fused"},
                                                    {"muon", "muon"},
                                                    {"adam-8bit", "adamw_bnb_8bit"},
                                                    {"adam-8bit", "adamw_torch_8bit"},
                                                    {"paged-adam", "paged_adamw"}};
inline constexpr size_t kWrittenOptimizers = 3, kWrittenOptims = 6;

/// Returns the keys of the configuration and the flags of a launch line: one row each (deepspeed_table.cc).
const KeyTable& key_table();

// The first needs degrees that the second puts.
void layout_rules(Config& c);
/// Stage, buckets and offloading alone: of the layout, what Megatron-DeepSpeed leaves to the configuration.
void zero_rules(Config& c);
void batch_rules(Config& c);
void job_rules(Config& c);
/// Types of gradients and of the optimizer's states, beside the job's precision.
void state_rules(Config& c);

}  // namespace planner::deepspeed
