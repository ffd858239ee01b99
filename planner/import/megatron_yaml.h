// Megatron-LM's YAML (`--yaml-cfg FILE`) as the flags that its keys stand for.
//
// Names and meanings of the keys: github.com/NVIDIA/Megatron-LM, megatron/training/yaml_arguments.py,
// examples/gpt3/gpt_config.yaml. A key is an argument's name, with sections `language_model` and `model_parallel` for
// those of TransformerConfig and ModelParallelConfig, which name a few things differently.
#pragma once

#include <map>
#include <string>

#include "planner/import/shell_words.h"

namespace planner::megatron {

/// Returns whether a text has one of the two sections, at the beginning of a line.
bool is_yaml(const dsl::Source& text);

/// A YAML as flags: each at the place of its key, its values at theirs.
struct YamlFlags {
  ShellCommand command;
  std::map<std::string, std::string> keys;  // by flag: the key behind it
};

/// Returns the flags of a YAML. A key without a value ("null"), and a switch that is off, are no flags unless no
/// flag has that name; of what is on unless told (`apply_rope_fusion`) "false" is one. Diagnosed: what is no YAML, and
/// no map (no flags then), a section that is none, and what is neither on nor off of the latter; a section of another
/// name is a warning.
YamlFlags flags_of_yaml(const dsl::Source& text, dsl::Diagnostics& diagnostics);

}  // namespace planner::megatron
