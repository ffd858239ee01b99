// Layers of unlike kinds, as configurations list them: on their way to model.pattern and model.kinds.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "planner/import/hf_reader.h"

namespace planner::hf {

/// One layer: an entry of the catalogue, and the fields that differ from it.
struct LayerDraft {
  std::string use;
  std::vector<std::pair<std::string, std::string>> fields;  // in the order of the entry's
  friend bool operator==(const LayerDraft&, const LayerDraft&) = default;
};

/// Puts `kinds` and `pattern`; layers that are alike share a kind. `key`: of the configuration that lists them.
void put_layers(ConfigReader& reader, const std::vector<LayerDraft>& layers, const std::string& key);

/// The shortest of the patterns that repeats of up to 32 letters give: "MEMEM*E" five times is "(MEMEM*E)x5".
std::string folded_pattern(const std::string& letters);

}  // namespace planner::hf
