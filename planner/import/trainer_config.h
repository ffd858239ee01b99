// The rules of a Trainer's run beyond its table, a file per subject.
#pragma once

#include "planner/import/flag_sheet.h"
#include "planner/import/trainer_table.h"

namespace planner::trainer {

/// What splits a model among ranks.
enum class ShardEngine { replicas, fsdp, deepspeed, megatron };

/// Returns the engine that the flags choose.
ShardEngine engine_of(const megatron::Flags& f);

/// Puts the keys of accelerate's file as the flags that its launcher makes of them; the section of DeepSpeed is part of
/// `json`. Diagnosed: unknown keys, a file for another place than machines of one's own, an engine whose section is
/// missing while that of another is there.
void put_accelerate(FlagSheet& sheet, dsl::Node& json, const dsl::Node& file, dsl::Diagnostics& diagnostics);
/// Puts the keys of a Trainer's file, and warns of unknown ones. A section of DeepSpeed itself replaces `json`.
void put_trainer(FlagSheet& sheet, dsl::Node& json, const dsl::Node& file, dsl::Diagnostics& diagnostics);

/// Puts the keys of a section with their prefix: "fsdp_version" and "version" are the same. Unknown ones are warnings.
void put_section(FlagSheet& sheet, const dsl::Node& section, const std::string& prefix, dsl::Diagnostics& diagnostics);

/// Puts what FSDP shards.
void fsdp_rules(megatron::Flags& f);
/// Puts the degrees of a mesh; false (diagnosed) where they do not multiply to the GPUs.
bool mesh_rules(megatron::Flags& f);
/// Puts the layout of Megatron-LM under accelerate.
void megatron_rules(megatron::Flags& f);

}  // namespace planner::trainer
