// Imports runs of transformers' Trainer and of programs on top of it (TRL, axolotl, LLaMA-Factory), with accelerate's
// own file.
//
// Names and defaults of keys and flags: trainer_table.h.
#pragma once

#include "dsl/catalog.h"
#include "planner/import/imported_run.h"

namespace planner {

/// Returns the scenario of a run. `config` and `more` are any of: accelerate's YAML, a Trainer's YAML or JSON,
/// DeepSpeed's JSON, a launch script; files that these name are opened. A launch line goes over the files, and a
/// program's file over accelerate's. Of DeepSpeed the software is `deepspeed`, of FSDP that of the program (`trl`,
/// `axolotl`, `transformers`), of replicas `transformers-ddp`, of Megatron-LM `megatron-core`. Of adapters it is
/// `axolotl` or `peft`, beside FSDP and replicas alike.
/// What no file says becomes a line to fill in. Where a program's file or line is there, it has the program's default,
/// and its line says so.
/// Errors: text that is not YAML or JSON, impossible values, an unknown key of accelerate's file (accelerate refuses
/// it), sections that contradict the engine, sizes that do not multiply, a configuration of DeepSpeed that cannot be
/// opened.
ImportedRun import_trainer(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics);

}  // namespace planner
