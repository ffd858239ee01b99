// Hugging Face configurations (config.json) as models: `model: {use: hf:path/to/config.json}`.
//
// The names of keys, and what an absent key means, are those of the configuration classes of
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

/// Returns the architectures that can be read, as `architectures` names them.
std::vector<std::string> hf_architectures();

/// Returns the formats in which a model may be written beside the catalogue's own.
std::vector<dsl::Format> model_formats();

}  // namespace planner
