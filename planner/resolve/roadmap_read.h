// The section `roadmap:`: steps of hardware, and of models, relative to the scenario that contains it.
//
//     roadmap: in_network                                  a preset, a file of hw_profiles/roadmaps/
//     roadmap: [flop-vs-bw, {name: fast, set: {PATH: EXPRESSION}, scale: {PATH: FACTOR}}]
//     roadmap: {years: 3, growth: {PATH: FACTOR}}          years 0 to 3, the factor's power by year
//     roadmap: {hardware: ..., models: [NAME, {name: ..., set: ...}]}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/resolve/roadmap_set.h"

namespace planner {

struct RoadmapStep {
  std::string name;
  std::vector<RoadmapSet> sets;
  dsl::Span place;
};

/// A roadmap is a grid of cells: each step with each model.
struct Roadmap {
  std::vector<RoadmapStep> steps;
  std::vector<RoadmapStep> models;  // one without sets where the scenario names none
};

inline constexpr size_t kMostCells = 10'000;

/// Reads the base's roadmap; nullopt: there is none, or a mistake (diagnosed). Values are evaluated over the base.
/// Values that a field cannot hold are found when a cell is read.
std::optional<Roadmap> read_roadmap(const OpenScenario& base, const dsl::Catalog& catalog, dsl::Sources& sources,
                                    dsl::Diagnostics& diagnostics);

}  // namespace planner
