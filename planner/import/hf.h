// Hugging Face configurations (config.json) as models: `model: {use: hf:path/to/config.json}`.
//
// The names of keys, and the meaning of absent keys, are those of the configuration classes of
// github.com/huggingface/transformers (src/transformers/models/*/configuration_*.py).
#pragma once

#include <string>
#include <vector>

#include "dsl/catalog.h"

namespace planner {

/// Returns the model's fields, each with its place in the file and the key as its comment. An unknown architecture, a
/// missing key and a word that is not known are errors (the result is `broken`); a key that may have an effect, and is
/// not known, is a warning.
dsl::Node convert_hf(const dsl::Node& config, dsl::Diagnostics& diagnostics);
/// As `convert_hf`, whatever architecture the configuration names: `as` is one that `is_hf_architecture`, or "". That
/// of the configuration, where it is another, is a warning.
dsl::Node convert_hf_as(const dsl::Node& config, const std::string& as, dsl::Diagnostics& diagnostics);
/// Whether it is one of `hf_architectures` or of `hf_model_types`.
bool is_hf_architecture(const std::string& name);

/// Returns the architectures that can be read, as `architectures` names them.
std::vector<std::string> hf_architectures();

/// Returns their names in `model_type`.
std::vector<std::string> hf_model_types();

/// Lists of quantized layers and of labels make some configurations long.
inline constexpr dsl::ParseLimits kHfLimits{.bytes = 16 << 20};

/// Returns the formats of models other than the catalogue's own.
std::vector<dsl::Format> model_formats();

}  // namespace planner
