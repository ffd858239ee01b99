// Stages of a pipeline as Megatron-LM lists them: "Et*3|(tt|)*6ttmL".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace planner {

/// Parts of the model in order: the layers (t) of each, and whether prediction layers (m) are in the last part alone.
struct StageList {
  std::vector<int64_t> layers;
  bool predicts_last = true;
};
/// Returns the parts, which '|' separates; "(x)*3" and "x*3" repeat, commas are for the eye. nullopt: no such list,
/// which begins with the embedding (E) and ends with the loss (L), or one of more than 100,000 letters.
std::optional<StageList> read_stage_list(std::string_view text);

}  // namespace planner
