// Flags about single layers: their kinds and properties.
#pragma once

#include <optional>
#include <vector>

#include "planner/import/layer_draft.h"
#include "planner/import/megatron_flags.h"

namespace planner::megatron {

/// For each layer, whether a flag chooses it. Empty: the flag is absent, or an error was reported.
struct LayerChoices {
  std::vector<int> linear, windowed, routed;
};
/// Reads --linear-attention-freq, --window-attn-skip-freq and --moe-layer-freq: a whole number or a list.
LayerChoices layer_choices(Flags& flags, int64_t layers);

/// Makes the kinds of layers that flags describe. Each flag is read once, and a mistake in it is reported once.
class LayerKinds {
 public:
  LayerKinds(Flags& flags, const LayerChoices& choices);

  /// `layer`: its place in the model, from 0.
  LayerDraft of_letter(char letter, size_t layer);
  LayerDraft attention(const char* use, size_t layer);
  LayerDraft gated_delta();
  LayerDraft sparse(size_t layer);
  /// Adds the settings of routed experts, and of several residual streams, to a layer.
  void finish(LayerDraft& draft, bool routed) const;

 private:
  DraftField field(const char* name, const char* flag, int64_t otherwise);
  DraftField needed(const char* name, const char* flag, const char* usual);
  const LayerDraft& mamba();
  void shared_keys(const LayerDraft& draft, const char* heads, const char* groups);

  Flags& f_;
  const LayerChoices& choices_;
  std::string window_, narrow_, streams_;  // values; "": none
  std::optional<LayerDraft> mamba_, delta_, sparse_;
  int64_t choice_every_ = 1, choice_first_ = 1;  // layers that choose keys themselves
};

/// Returns whether a flag makes layers unlike.
bool has_unlike_layers(const Flags& flags, const LayerChoices& choices);
/// Puts pattern and kinds of a hybrid model, and of one with unlike layers, and warns of flags that no layer reads.
void layer_rules(Flags& flags, const LayerChoices& choices);

/// What --experimental-attention-variant chooses.
enum class Variant { none, gated_delta, gated_delta_2, sparse };
Variant variant_of(const Flags& flags);

}  // namespace planner::megatron
