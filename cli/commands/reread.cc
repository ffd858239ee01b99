#include "cli/commands/reread.h"

#include <fmt/format.h>

#include "dsl/write.h"
#include "planner/resolve/lengths.h"
#include "planner/resolve/read.h"

namespace cli {
namespace {

std::vector<dsl::Override> overrides(const ScenarioFlags& flags, const planner::Sets& sets) {
  std::vector<dsl::Override> all = set_overrides(flags);
  for (const auto& [path, value] : sets) all.push_back({path + "=" + value});
  return all;
}

}  // namespace

planner::Reread reread(const ScenarioFlags& flags, Session& session) {
  return [&flags, &session](const planner::Sets& sets) {
    dsl::Diagnostics unasked;
    return planner::read_scenario(session.sources.front(), overrides(flags, sets), session.catalog, session.sources,
                                  unasked, {.pick_first = flags.pick == "first"});
  };
}

std::optional<planner::OpenScenario> reopen(const ScenarioFlags& flags, Session& session, const planner::Sets& sets,
                                            dsl::Diagnostics& diagnostics) {
  return planner::read_open_scenario(session.sources.front(), overrides(flags, sets), session.catalog, session.sources,
                                     diagnostics);
}

void keep_lengths(const planner::Lengths& lengths, ScenarioFlags& flags) {
  if (lengths.shares.empty()) return;
  std::string fields;
  for (const dsl::Entry& e : planner::lengths_node(lengths).entries) {
    std::string value = e.value.text;
    for (const dsl::Node& item : e.value.items) value += (value.empty() ? "[" : ", ") + item.text;
    fields += fmt::format("{}{}: {}{}", fields.empty() ? "" : ", ", e.key, value, e.value.items.empty() ? "" : "]");
  }
  flags.set.emplace_back("job.sequence=1");  // a map would be laid over the one that is there
  flags.set.push_back(fmt::format("job.sequence={{{}}}", fields));
}

planner::Sets choice_sets(const std::vector<std::string>& names, const std::vector<dsl::Value>& choices) {
  planner::Sets sets;
  for (size_t i = 0; i < names.size(); ++i)
    if (!choices[i].is_null()) sets.emplace_back(names[i], dsl::write_value(choices[i]));
  return sets;
}

}  // namespace cli
