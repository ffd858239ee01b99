// `trainplan replay --against`: the planner's step of a scenario.
#pragma once

#include <optional>
#include <string>

#include "cli/commands/common.h"
#include "planner/replay/against.h"

namespace cli {

/// Reads a scenario of one configuration, with what --set writes. nullopt: `path` is "", or on a mistake (diagnosed),
/// of which a layout that does not work is one.
std::optional<planner::replay::PlannedStep> step_against(const std::string& path, const ScenarioFlags& flags,
                                                         const CommonFlags& common, Streams& streams, Session& session);

}  // namespace cli
