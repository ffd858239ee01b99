#include "cli/commands/replay_against.h"

#include <fmt/format.h>

#include "planner/plan/violations.h"

namespace cli {

std::optional<planner::replay::PlannedStep> step_against(const std::string& path, const ScenarioFlags& flags,
                                                         const CommonFlags& common, Streams& streams,
                                                         Session& session) {
  if (path.empty()) return std::nullopt;
  CommonFlags scenario = common;
  scenario.inputs = {path};
  const auto loaded = load_one_length(scenario, flags, "replay --against", streams, session);
  if (!loaded) return std::nullopt;
  const std::vector<planner::Violation> violations = planner::layout_violations(loaded->scenario);
  for (const planner::Violation& v : violations)
    session.diagnostics.error({}, fmt::format("'{}' is not feasible: {}: {}", path, v.rule, v.message));
  if (!violations.empty()) return std::nullopt;
  return planner::replay::planned_step(loaded->scenario);
}

}  // namespace cli
