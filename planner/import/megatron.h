// Megatron-LM command lines and YAML files as scenarios.
//
// Names and defaults of the flags: github.com/NVIDIA/Megatron-LM, megatron/training/arguments.py.
#pragma once

#include "planner/import/imported_run.h"

namespace planner {

/// Returns the scenario of a pretrain_gpt.py call. `config` is its flags alone, a whole line, or a shell script that
/// contains one (the command with most flags is taken). It may also be the YAML of `--yaml-cfg`, with its launch line,
/// which then only gives the number of GPUs.
/// An unknown flag, or one whose effect has no counterpart in a plan, is a warning. A missing or unreadable value is an
/// error, and so is a line that leaves its arguments to a YAML.
ImportedRun import_megatron(const RunFiles& files, dsl::Diagnostics& diagnostics);

}  // namespace planner
