// The keys and flags of transformers' Trainer, of what is built on it, and of accelerate's launcher: a row each.
//
// Names and defaults: github.com/huggingface/transformers, training_args.py (5.0); huggingface/trl of July 2026,
// trainer/base_config.py, sft_config.py, scripts/utils.py; hiyouga/LLaMA-Factory of August 2026,
// src/llamafactory/hparams; axolotl-ai-cloud/axolotl of July 2026, src/axolotl/utils/schemas; huggingface/accelerate of
// July 2026, commands/launch.py, commands/config/config_args.py, utils/dataclasses.py.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/import/settings.h"

namespace planner::trainer {

/// The value of a flag that no file gives.
struct FlagDefault {
  const char *flag, *value;
};

/// A program on top of the Trainer, in the order in which they are recognised.
struct TrainerProgram {
  const char *title, *software;           // the profile of its FSDP
  std::span<const char* const> telling;   // keys that it alone has
  std::span<const char* const> launched;  // what its launch line holds
  std::span<const FlagDefault> defaults;
};

/// Returns the program with a telling key in the file, or a telling word in the line; else the Trainer itself.
const TrainerProgram& program_of(const dsl::Node* file, const ShellCommand& line);

/// Returns the Trainer's flag of a program's key.
std::string flag_of(std::string_view key);
/// Returns `rule`, `lost`, `idle` or `unknown`.
megatron::FlagRole role_of(std::string_view flag);
/// Returns the flags that a plan depends on, without "--".
std::vector<std::string> read_keys();
/// The keys of DeepSpeed's configuration, also by accelerate's names; and all flags.
const KeyTable& key_table();

/// The program of the flags, whose defaults they have.
const megatron::ProgramFlags& launcher();

// accelerate's own file.
/// A section, and what the launcher puts before its keys.
struct LaunchSection {
  const char *key, *prefix;
};
std::span<const LaunchSection> sections();
/// Returns the keys outside sections.
std::span<const char* const> launch_keys();

}  // namespace planner::trainer
