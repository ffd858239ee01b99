// Which field --solve names.
#pragma once

#include <optional>

#include "planner/scenario/scenario.h"
#include "planner/studies/whatif/solve.h"

namespace cli {

struct SolvePath {
  std::string path;
  const dsl::Field* field = nullptr;
  planner::SolveRange range;
};

/// The numeric field that `path` names; nullopt: diagnosed. An item of a list may be named by its `name`
/// (`cluster.network.infiniband.bandwidth`), and the tiers within and beyond a node by `intra_node` and `inter_node`.
/// The start is the scenario's value; of an open choice its first.
std::optional<SolvePath> solve_path(const dsl::Source& path, const planner::OpenScenario& open,
                                    dsl::Diagnostics& diagnostics);

}  // namespace cli
