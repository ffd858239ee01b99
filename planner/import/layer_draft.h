// Layers of unlike kinds, as configurations and command lines list them: on their way to model.pattern and model.kinds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsl/node.h"
#include "planner/scenario/layer_row.h"

namespace planner {

/// A field of a kind of layers; `source`: its origin in the comment, if that is not the list of layers.
struct DraftField {
  std::string name, value, source = {};
  bool operator==(const DraftField& other) const { return name == other.name && value == other.value; }
};

/// One layer: an entry of the catalogue, and the fields that differ from it.
struct LayerDraft {
  std::string use;
  std::vector<DraftField> fields;  // in the order of the entry's
  friend bool operator==(const LayerDraft&, const LayerDraft&) = default;
};

/// Gives a layer of attention (`block`) or of a recurrence its feed-forward part: experts or an MLP.
void put_feed_forward(LayerDraft& draft, bool routed, const std::string& source = {});

/// Puts `layers`, `pattern` and `kinds`; equal layers share a kind. `place` and `source`: of their list. `predicted`:
/// the layers of one prediction layer, put as `mtp_pattern` if they differ from the last of the model.
void put_layers(dsl::Node& model, const std::vector<LayerDraft>& layers, const dsl::Span& place,
                const std::string& source, const std::vector<LayerDraft>& predicted = {});

/// The shortest of the patterns that repeats of up to 32 letters give: "MEMEM*E" five times is "(MEMEM*E)x5".
std::string folded_pattern(const std::string& letters);

}  // namespace planner
