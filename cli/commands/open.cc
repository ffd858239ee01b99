#include "cli/commands/open.h"

#include "cli/commands/limit.h"
#include "cli/input/foreign.h"
#include "dsl/write.h"
#include "planner/resolve/read.h"

namespace cli {

std::vector<std::string> open_layout(const dsl::Source& source, planner::Opens opens, ScenarioFlags& flags,
                                     Session& session, std::optional<planner::OpenScenario>& open) {
  if (!open) return {};
  const std::vector<dsl::Override> before = set_overrides(flags);
  const std::vector<planner::OpenedField> fields =
      planner::fields_to_open(*open, {source, before, session.catalog, session.sources}, opens, session.diagnostics);
  if (session.diagnostics.has_errors()) open.reset();
  if (!open || fields.empty()) return {};
  std::vector<std::string> paths;
  for (const planner::OpenedField& field : fields) paths.push_back(field.path);
  const std::vector<std::string> sets = planner::sets_of(fields);
  flags.set.insert(flags.set.begin(), sets.begin(), sets.end());
  flags.set.emplace_back(planner::kLayoutSaid);
  session.diagnostics.list.clear();  // warnings, told again
  auto opened =
      planner::read_open_scenario(source, set_overrides(flags), session.catalog, session.sources, session.diagnostics);
  open.reset();
  if (opened) open.emplace(std::move(*opened));
  return paths;
}

const dsl::Source* open_text(const CommonFlags& common, Streams& streams, Session& session, planner::Opens opens) {
  open_catalog(session, common.catalog);
  const bool of_a_run = opens == planner::Opens::written;
  return (of_a_run ? read_run_text : read_scenario_text)(common.inputs.at(0), streams, session);
}

Opened load_open(const dsl::Source* text, ScenarioFlags& flags, Session& session, double limit, planner::Opens opens,
                 int64_t shards) {
  if (!text || session.diagnostics.has_errors()) return {text, std::nullopt};
  std::vector<dsl::Override> overrides = set_overrides(flags);
  auto scenario = planner::read_open_scenario(*text, overrides, session.catalog, session.sources, session.diagnostics);
  std::vector<std::string> by_policy = open_layout(*text, opens, flags, session, scenario);
  const double candidates = scenario ? check_limit(*scenario, limit, shards, session.diagnostics) : 0;
  return {text, std::move(scenario), candidates, std::move(by_policy)};
}

Opened load_open(const CommonFlags& common, ScenarioFlags& flags, Streams& streams, Session& session, double limit,
                 planner::Opens opens, int64_t shards) {
  return load_open(open_text(common, streams, session, opens), flags, session, limit, opens, shards);
}

std::vector<std::string> sets_of(const std::vector<std::string>& names, const std::vector<dsl::Value>& values) {
  std::vector<std::string> sets;
  for (size_t i = 0; i < names.size(); ++i) sets.push_back(names[i] + "=" + dsl::write_value(values[i]));
  return sets;
}

}  // namespace cli
