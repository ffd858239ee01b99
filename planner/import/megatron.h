// Megatron-LM command lines and YAML files as scenarios.
//
// Names and defaults of the flags: github.com/NVIDIA/Megatron-LM, megatron/training/arguments.py.
#pragma once

#include "dsl/catalog.h"
#include "planner/import/flag_sheet.h"
#include "planner/import/imported_run.h"
#include "planner/import/megatron_yaml.h"

namespace planner {

/// Returns the scenario of a pretrain_gpt.py call. `config` is its flags alone, a whole line, or a shell script that
/// contains one (the command with most flags is taken). It may also be the YAML of `--yaml-cfg`, with its launch line,
/// which then only gives the number of GPUs.
/// An unknown flag, or one whose effect has no counterpart in a plan, is a warning. A missing or unreadable value is an
/// error, and so is a line that leaves its arguments to a YAML.
///
/// A line with `--deepspeed` is one of Megatron-DeepSpeed: it has flags and defaults of its own, and its
/// `--deepspeed_config` is read where the script writes it or where it is a file. `sources` keep what is read.
ImportedRun import_megatron(const RunFiles& files, dsl::Sources& sources, dsl::Diagnostics& diagnostics);

/// Returns the scenario of arguments that keys of a file represent. `line`: null, or a launch line for the number of
/// GPUs. With `files.model` the model is that, and arguments of a model change it.
ImportedRun import_arguments(megatron::YamlFlags yaml, const ShellCommand* line, const RunFiles& files,
                             const dsl::Span& place, dsl::Diagnostics& diagnostics);

/// Returns whether a launch line is one of Megatron-DeepSpeed.
bool is_megatron_deepspeed(const ShellCommand& line);
/// Returns the scenario of its flags. `json`: DeepSpeed's configuration; null: it is not known.
ImportedRun import_megatron_deepspeed(const ShellCommand& line, const dsl::Node* json, const std::string& cluster,
                                      dsl::Diagnostics& diagnostics);

/// Likewise of keys that represent its flags; `json`: DeepSpeed's own keys.
ImportedRun import_megatron_deepspeed_keys(FlagSheet sheet, const dsl::Node* json, const RunFiles& files,
                                           dsl::Diagnostics& diagnostics);

}  // namespace planner
