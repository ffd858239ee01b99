// Imports configurations of GPT-NeoX as scenarios.
//
// Names, meanings and defaults of the keys: github.com/EleutherAI/gpt-neox of May 2026, megatron/neox_arguments
// (neox_args.py, deepspeed_args.py, arguments.py), megatron/model/transformer.py.
#pragma once

#include "planner/import/imported_run.h"

namespace planner {

/// Returns the scenario of a run; its software is `megatron-deepspeed`, changed by the keys. `config` and `more` are
/// YAML files whose keys are joined, as its launcher does; "-" and "_" in keys are the same. Keys are read as the flags
/// of Megatron-DeepSpeed that they represent, and those of DeepSpeed as its configuration. Errors: text that is not
/// YAML, an unknown key or one in two files (GPT-NeoX refuses both), kinds of layers that are not attention, a missing
/// size, batch sizes that do not multiply.
ImportedRun import_gpt_neox(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics);

}  // namespace planner
