// Megatron-LM command lines and YAML files as scenarios.
//
// Names and defaults of the flags: github.com/NVIDIA/Megatron-LM, megatron/training/arguments.py.
#pragma once

#include "planner/import/imported_run.h"

namespace planner {

/// Returns the scenario of a pretrain_gpt.py call, whose `config` is its flags alone, a whole line, or a shell script
/// that holds one (the command with most flags is taken); or the YAML of `--yaml-cfg`, with the launch line beside it,
/// which then says the number of GPUs alone. An unknown flag, and one whose effect has no counterpart in a plan, is a
/// warning; a missing or unreadable value an error, as is a line that leaves its arguments to a YAML.
ImportedRun import_megatron(const RunFiles& files, dsl::Diagnostics& diagnostics);

}  // namespace planner
