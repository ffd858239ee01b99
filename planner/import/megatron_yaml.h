// Converts Megatron-LM's YAML (`--yaml-cfg FILE`) to the flags that its keys represent.
//
// Names and meanings of the keys: github.com/NVIDIA/Megatron-LM, megatron/training/yaml_arguments.py,
// examples/gpt3/gpt_config.yaml; MODEL_ARGS is that of its functional tests (_run_training.sh). A key is an
// argument's name, with sections `language_model` and `model_parallel` for those of TransformerConfig and
// ModelParallelConfig, which name a few things differently.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "dsl/node.h"
#include "planner/shell/shell_text.h"

namespace planner::megatron {

/// Returns whether a text has one of the two sections, or MODEL_ARGS, at the beginning of a line.
bool is_yaml(const dsl::Source& text);

/// A YAML as flags: each at the place of its key, its values at theirs.
struct YamlFlags {
  ShellCommand command;
  std::map<std::string, std::string> keys;  // by flag: the key behind it
};

/// Returns the flags of a YAML. A key without a value ("null") and a switch that is off give no flag, unless no flag
/// has that name. For switches that are on by default (`apply_rope_fusion`), "false" gives a flag.
/// Diagnosed: text that is not YAML or not a map (no flags then), an invalid section, and a value of such a switch that
/// is neither on nor off. A section of another name is a warning.
YamlFlags flags_of_yaml(const dsl::Source& text, dsl::Diagnostics& diagnostics);

/// Returns the flags of arguments, likewise.
YamlFlags flags_of_arguments(std::vector<const dsl::Entry*> arguments, dsl::Diagnostics& diagnostics);
/// A field, and its value where a switch is on, or off.
struct SwitchField {
  std::string field, value;
};
/// Returns the field that a switch of that key says; none: it is no field.
SwitchField field_of_switch(const std::string& key, bool on);
/// Returns the key that says what a flag does, in either state: "apply_rope_fusion" of "--no-rope-fusion".
std::string key_of_flag(std::string_view flag);

/// Returns whether a key names an argument of Megatron-LM.
bool is_argument(const std::string& key);
/// Returns the keys of arguments.
std::vector<std::string> argument_names();

}  // namespace planner::megatron
