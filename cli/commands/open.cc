#include "cli/commands/open.h"

#include "cli/commands/limit.h"
#include "dsl/write.h"
#include "planner/resolve/read.h"

namespace cli {

Opened load_open(const CommonFlags& common, const ScenarioFlags& flags, Streams& streams, Session& session,
                 double limit, int64_t shards) {
  open_catalog(session, common.catalog);
  const dsl::Source* text = read_input(common.inputs.at(0), streams, session);
  if (!text || session.diagnostics.has_errors()) return {text, std::nullopt};
  std::vector<dsl::Override> overrides = set_overrides(flags);
  auto scenario = planner::read_open_scenario(*text, overrides, session.catalog, session.sources, session.diagnostics);
  const double candidates = scenario ? check_limit(*scenario, limit, shards, session.diagnostics) : 0;
  return {text, std::move(scenario), candidates};
}

std::vector<std::string> sets_of(const std::vector<std::string>& names, const std::vector<dsl::Value>& values) {
  std::vector<std::string> sets;
  for (size_t i = 0; i < names.size(); ++i) sets.push_back(names[i] + "=" + dsl::write_value(values[i]));
  return sets;
}

}  // namespace cli
