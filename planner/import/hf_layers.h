// Layers of unlike kinds, as configurations list them.
#pragma once

#include <string>
#include <vector>

#include "planner/import/hf_reader.h"
#include "planner/import/layer_draft.h"

namespace planner::hf {

/// Puts `kinds` and `pattern`. `key`: of the configuration that lists them.
inline void put_layers(ConfigReader& reader, const std::vector<LayerDraft>& layers, const std::string& key,
                       const std::vector<LayerDraft>& predicted = {}) {
  planner::put_layers(reader.model, layers, reader.place_of(key), reader.source_of(key), predicted);
}

}  // namespace planner::hf
