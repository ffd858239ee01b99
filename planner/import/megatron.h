// Megatron-LM command lines as scenarios.
//
// Names and defaults of the flags: github.com/NVIDIA/Megatron-LM, megatron/training/arguments.py.
#pragma once

#include <string>

#include "planner/import/imported_run.h"

namespace planner {

/// Returns the scenario of a pretrain_gpt.py call: flags alone, a whole line, or a shell script that holds one (the
/// command with most flags is taken). `cluster` is a catalogue name, or "" for a line to fill in. An unknown flag, and
/// one whose effect has no counterpart in a plan, is a warning; a missing or unreadable value an error.
ImportedRun import_megatron(const dsl::Source& text, const std::string& cluster, dsl::Diagnostics& diagnostics);

}  // namespace planner
