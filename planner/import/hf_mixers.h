// The token mixer of each layer: kinds of attention, and recurrences.
#pragma once

#include "planner/import/hf_lists.h"

namespace planner::hf {

/// Puts the whole number at the key as a field of the layer; below `least` it is an error.
void take(ConfigReader& reader, LayerDraft& draft, const char* field, const char* key, int64_t least = 1);

/// Whether the number of layers is given and can be made into a list; diagnosed if not.
bool can_list(ConfigReader& reader);

class MixerLayers {
 public:
  explicit MixerLayers(ConfigReader& reader);
  LayerDraft at(int64_t layer);

 private:
  std::string type_of(int64_t layer) const;
  bool shares_choice(int64_t layer) const;
  LayerDraft compressed(int64_t layer);

  ConfigReader& reader_;
  LayerList types_, ratios_, roped_, sparse_, choices_;
  LayerSet recurrent_;
  bool indexed_;
  int64_t interval_ = 0, whole_every_ = 0;
  std::string pattern_;  // of choices: 'F' chooses, 'S' shares
  int64_t choice_every_ = 1, choice_offset_ = 2;
};

}  // namespace planner::hf
