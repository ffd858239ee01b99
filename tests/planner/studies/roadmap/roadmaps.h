// Roadmaps read from a text, for tests.
#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <vector>

#include "planner/resolve/read.h"
#include "planner/studies/roadmap/roadmap.h"
#include "tests/planner/sample.h"

namespace roadmaps {

/// A reading of one text: the mistakes, the steps, and the cells.
struct Reading {
  dsl::Sources sources;
  std::vector<dsl::Override> overrides;
  dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  dsl::Diagnostics diagnostics;
  std::optional<planner::OpenScenario> base;
  std::optional<planner::Roadmap> roadmap;

  Reading(const std::string& text, const sample::Sets& sets = {}, const std::string& folder = "/nonexistent") {
    sources.push_back({.name = "test.yaml", .text = text, .directory = folder});
    for (const std::string& set : sets) overrides.push_back({set});
    auto open = planner::read_open_scenario(sources.front(), overrides, catalog, sources, diagnostics);
    if (open) base.emplace(std::move(*open));
    if (base) roadmap = planner::read_roadmap(*base, catalog, sources, diagnostics);
  }

  std::vector<planner::RoadmapCell> cells() {
    for (const dsl::Diagnostic& d : diagnostics.list) MESSAGE(dsl::render(d));
    REQUIRE(roadmap.has_value());
    const planner::ScenarioText text{sources.front(), overrides, catalog, sources};
    return planner::roadmap_cells(*roadmap, text, {}, diagnostics);
  }

  /// "LINE:COLUMN MESSAGE [HINT]" of each mistake.
  std::string mistakes() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list)
      out += std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + " " + d.message +
             (d.hint.empty() ? "" : " [" + d.hint + "]") + "\n";
    return out;
  }
};

inline std::vector<planner::RoadmapCell> cells(const std::string& text, const sample::Sets& sets = {}) {
  return Reading(text, sets).cells();
}

inline std::string text_of(const planner::RoadmapSet& set) { return set.path + "=" + dsl::to_text(set.value); }

}  // namespace roadmaps
