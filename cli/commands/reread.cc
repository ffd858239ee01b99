#include "cli/commands/reread.h"

#include <fmt/format.h>

#include "dsl/write.h"
#include "planner/resolve/lengths.h"
#include "planner/resolve/read.h"

namespace cli {
namespace {

/// What an entry defines is read with it; all other fields are there already.
bool is_entry(const std::pair<std::string, std::string>& set) { return set.first.ends_with(".use"); }

}  // namespace

planner::Reread reread(const ScenarioFlags& flags, Session& session) {
  return [&flags, &session](const planner::Sets& sets) {
    std::vector<dsl::Override> overrides = set_overrides(flags);
    planner::ReadOptions options{.pick_first = flags.pick == "first", .chosen = flags.chosen};
    for (const auto& set : sets)
      if (is_entry(set)) overrides.push_back({set.first + "=" + set.second});
      else options.chosen.push_back(set);
    dsl::Diagnostics unasked;
    return planner::read_scenario(session.sources.front(), overrides, session.catalog, session.sources, unasked,
                                  options);
  };
}

std::optional<planner::OpenScenario> reopen(const ScenarioFlags& flags, Session& session,
                                            dsl::Diagnostics& diagnostics) {
  return planner::read_open_scenario(session.sources.front(), set_overrides(flags), session.catalog, session.sources,
                                     diagnostics, flags.chosen);
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
  for (size_t i = 0; i < names.size(); ++i) sets.emplace_back(names[i], dsl::write_value(choices[i]));
  return sets;
}

}  // namespace cli
