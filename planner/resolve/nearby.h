// The neighbourhood of a scenario: a space in which each field of a change has what is written as its first value, and
// the values of the changes behind it.
//
// So all that follows a changed field follows it as with `--set`: degrees, defaults, recipes of the software.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planner/plan/field_sets.h"
#include "planner/resolve/layout_policy.h"

namespace planner {

/// A field of a change, as an item of the space.
struct NearbyField {
  std::string path;
  size_t item = 0;
  std::vector<uint32_t> values = {};          // numbers of the values that the change gives it
  std::vector<dsl::Expression> allowed = {};  // a value must satisfy these in its combination
};
struct NearbyRow {
  ChangeKind kind = ChangeKind::layout;
  std::vector<NearbyField> fields;
};
struct NearbySpace {
  OpenScenario open;
  std::vector<NearbyRow> rows;  // by kind; combinations that change no row are the scenario itself
  std::vector<NearbyField>
      followers;  // fields that follow the others, written or not: the data degree, its shard group
};

/// Returns the neighbourhood of `base`, which is read from `text` with the values `chosen` for its choices; nullopt:
/// there is no change, or the rows cannot be read.
std::optional<NearbySpace> read_nearby(const ScenarioText& text, const Sets& chosen, const LoadedScenario& base);
using Neighbours = std::function<std::optional<NearbySpace>(const Sets& chosen, const LoadedScenario& base)>;

}  // namespace planner
