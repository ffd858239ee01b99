#include "planner/resolve/with_layout.h"

#include "planner/resolve/measured_read.h"
#include "planner/resolve/read.h"

namespace planner {

namespace {

/// `first`: what the first reading reported. A second one reports it again.
std::optional<WithLayout> with_layout(OpenScenario open, const dsl::Diagnostics& first, const ScenarioText& text,
                                      Opens opens, dsl::Diagnostics& diagnostics) {
  dsl::Diagnostics of_policy;
  const std::vector<OpenedField> fields = fields_to_open(open, text, opens, of_policy);
  const bool again = !fields.empty() && !of_policy.has_errors();
  if (!again) diagnostics.append(first);
  diagnostics.append(of_policy);
  if (of_policy.has_errors()) return std::nullopt;
  if (!again) return WithLayout{std::move(open), text.overrides, {}, {}};
  const std::vector<std::string> sets = sets_of(fields);
  std::vector<dsl::Override> overrides;
  for (const std::string& set : sets) overrides.push_back({set});
  overrides.insert(overrides.end(), text.overrides.begin(), text.overrides.end());
  overrides.push_back({kLayoutSaid});
  // Measured runs are those of the layout as it was written, which only the first reading knows.
  if (const std::string own = own_set(open.sample.software.errors.own); !own.empty()) overrides.push_back({own});
  std::vector<std::string> paths;
  for (const OpenedField& field : fields) paths.push_back(field.path);
  auto opened = read_open_scenario(text.source, overrides, text.catalog, text.sources, diagnostics);
  if (!opened) return std::nullopt;
  return WithLayout{*std::move(opened), std::move(overrides), sets, std::move(paths)};
}

}  // namespace

std::optional<WithLayout> read_with_layout(const ScenarioText& text, Opens opens, dsl::Diagnostics& diagnostics) {
  dsl::Diagnostics first;
  auto open = read_open_scenario(text.source, text.overrides, text.catalog, text.sources, first);
  if (open && !first.has_errors()) return with_layout(*std::move(open), first, text, opens, diagnostics);
  diagnostics.append(first);
  return std::nullopt;
}

std::optional<WithLayout> read_with_layout(OpenScenario open, const ScenarioText& text, Opens opens,
                                           dsl::Diagnostics& diagnostics) {
  return with_layout(std::move(open), {}, text, opens, diagnostics);
}

}  // namespace planner
