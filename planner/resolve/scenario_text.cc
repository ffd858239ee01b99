#include "planner/resolve/scenario_text.h"

namespace planner {

dsl::Node own_tree(const ScenarioText& text) {
  dsl::Diagnostics told;
  return dsl::load(text.source, text.overrides, {}, text.catalog, text.sources, told);
}

}  // namespace planner
