#include "planner/resolve/with_layout.h"

namespace planner {

std::optional<WithLayout> read_with_layout(const ScenarioText& text, Opens opens, dsl::Diagnostics& diagnostics) {
  dsl::Diagnostics first;
  auto open = read_open_scenario(text.source, text.overrides, text.catalog, text.sources, first);
  const std::vector<OpenedField> fields = open ? fields_to_open(*open, text, opens, first) : std::vector<OpenedField>{};
  if (fields.empty() || first.has_errors()) {
    diagnostics.list.insert(diagnostics.list.end(), first.list.begin(), first.list.end());
    if (!open || first.has_errors()) return std::nullopt;
    return WithLayout{*std::move(open), text.overrides, {}};
  }
  std::vector<dsl::Override> overrides;
  for (std::string& set : sets_of(fields)) overrides.push_back({std::move(set)});
  overrides.insert(overrides.end(), text.overrides.begin(), text.overrides.end());
  overrides.push_back({kLayoutSaid});
  std::vector<std::string> paths;
  for (const OpenedField& field : fields) paths.push_back(field.path);
  // What the first reading warned of the second one tells.
  auto opened = read_open_scenario(text.source, overrides, text.catalog, text.sources, diagnostics);
  if (!opened) return std::nullopt;
  return WithLayout{*std::move(opened), std::move(overrides), std::move(paths)};
}

}  // namespace planner
