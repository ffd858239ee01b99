// Changes of a scenario as `--set` takes them, and readers of what surrounds it.
#pragma once

#include "planner/resolve/nearby.h"
#include "planner/studies/whatif/advice.h"
#include "tests/planner/search/open_sample.h"

namespace sample {

const inline Sets kRun{"job.tokens=1e9", "cluster.price=2 USD/h"};

inline Sets texts(const planner::Sets& sets) {
  Sets out;
  for (const auto& [path, value] : sets) out.push_back(path + "=" + value);
  return out;
}

/// The scenario of a text and sets, read again with additional sets; nullopt: it cannot be read.
inline planner::Reread reader(const std::string& text, const Sets& base) {
  return [text, base](const planner::Sets& sets) -> std::optional<planner::LoadedScenario> {
    static dsl::Sources sources;  // spans of the records point into them
    const dsl::Source& source = sources.emplace_back(dsl::Source{"test.yaml", text, "/nonexistent"});
    std::vector<dsl::Override> overrides;
    for (const std::string& set : base + texts(sets)) overrides.push_back({set});
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    dsl::Diagnostics told;
    return planner::read_scenario(source, overrides, catalog, sources, told);
  };
}

/// What surrounds it.
inline planner::Neighbours neighbours(const std::string& text, const Sets& base) {
  return [text, base](const planner::Sets& chosen, const planner::LoadedScenario& loaded) {
    static dsl::Sources sources;
    const dsl::Source& source = sources.emplace_back(dsl::Source{"test.yaml", text, "/nonexistent"});
    std::vector<dsl::Override> overrides;
    for (const std::string& set : base) overrides.push_back({set});
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    return planner::read_nearby({source, overrides, catalog, sources}, chosen, loaded);
  };
}

inline planner::FitAdvice advice(const std::string& text, const Sets& base) {
  return planner::advise(load(text, base), {}, neighbours(text, base), reader(text, base));
}

/// The rows of its changes.
inline planner::ChangeRows change_rows(const std::string& text, const Sets& base) {
  static dsl::Sources sources;
  const dsl::Source& source = sources.emplace_back(dsl::Source{"test.yaml", text, "/nonexistent"});
  std::vector<dsl::Override> overrides;
  for (const std::string& set : base) overrides.push_back({set});
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  dsl::Diagnostics told;
  const auto open = planner::read_open_scenario(source, overrides, catalog, sources, told);
  REQUIRE(open);
  planner::ChangeRows rows = planner::change_rows(open->layout, {source, overrides, catalog, sources}, told);
  CHECK_MESSAGE(!told.has_errors(), told.first_error());
  return rows;
}

}  // namespace sample
