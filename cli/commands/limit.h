// --limit: how many combinations a search or a sweep may walk through.
#pragma once

#include <optional>
#include <string>

#include "planner/scenario/scenario.h"

namespace cli {

/// Is a day of twelve cores at a million candidates a second and core.
inline constexpr double kDefaultLimit = 1e13;

/// Sets `limit` to the value of --limit; "" leaves it. Returns "" or the mistake.
std::string read_limit(const std::string& text, double& limit);

/// Diagnoses a space one of whose `shards` parts is above the limit: its size, and the choices that cause it. Returns
/// the approximate number of combinations of a part.
double check_limit(const planner::OpenScenario& open, double limit, int64_t shards, dsl::Diagnostics& diagnostics);

/// Returns the combinations of the space where they need no guess; else nullopt.
std::optional<double> exact_candidates(const planner::OpenScenario& open);

}  // namespace cli
