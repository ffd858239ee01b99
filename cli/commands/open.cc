#include "cli/commands/open.h"

#include <fmt/format.h>

#include "cli/args/words.h"
#include "cli/commands/limit.h"
#include "cli/input/foreign.h"
#include "dsl/node_path.h"
#include "dsl/write.h"
#include "planner/resolve/lengths.h"
#include "planner/resolve/measured_read.h"
#include "planner/resolve/read.h"

namespace cli {
namespace {

/// What an entry defines is read with it; all other fields are there already.
bool is_entry(const std::pair<std::string, std::string>& set) { return set.first.ends_with(".use"); }

/// The overrides of a scenario that is read with more sets, and the values of its choices.
std::pair<std::vector<dsl::Override>, planner::Sets> set_apart(const planner::Sets& sets, const ScenarioFlags& flags) {
  std::pair<std::vector<dsl::Override>, planner::Sets> apart{set_overrides(flags), flags.chosen};
  for (const auto& set : sets)
    if (is_entry(set)) apart.first.push_back({set.first + "=" + set.second});
    else apart.second.push_back(set);
  return apart;
}

/// --pick first: the choices have the values of the scenario that was read.
void choose_first(const ScenarioFlags& flags, const planner::LoadedScenario& base, Session& session,
                  planner::Sets& chosen) {
  dsl::Diagnostics unasked;
  const auto open = reopen(flags, session, unasked);
  if (!open) return;
  for (const std::string& path : planner::choice_names(open->space))
    if (const dsl::Slot* slot = base.record.find(path)) chosen.emplace_back(path, dsl::write_value(slot->value));
}

}  // namespace

std::string wrong_source(const CommonFlags& common, const std::string& from) {
  if (common.inputs.empty() && from.empty()) return "SCENARIO is required";
  return common.inputs.empty() || from.empty() ? "" : "--from RUN replaces SCENARIO: give one of them";
}

void keep_job(const dsl::Source& run, ScenarioFlags& flags, Session& session) {
  dsl::Diagnostics unasked;  // reported where the run is read
  const std::vector<dsl::Override> written = set_overrides(flags);
  const auto loaded = planner::read_scenario(run, written, session.catalog, session.sources, unasked);
  const dsl::Node own = planner::own_tree({run, written, session.catalog, session.sources});
  for (const char* path : {"job.global_batch", "job.tokens"}) {
    const dsl::Node* node = dsl::node_at(own, path);
    const dsl::Slot* slot = loaded ? loaded->record.find(path) : nullptr;
    if (node && slot && node->kind == dsl::Node::Kind::scalar && !number_in<double>(node->text))
      flags.set.push_back(fmt::format("{}={}", path, dsl::write_value(slot->value)));
  }
}

std::optional<planner::WithLayout> open_layout(const dsl::Source& source, planner::Opens opens, ScenarioFlags& flags,
                                               Session& session) {
  if (opens == planner::Opens::written) keep_job(source, flags, session);
  const std::vector<dsl::Override> written = set_overrides(flags);
  auto read =
      planner::read_with_layout({source, written, session.catalog, session.sources}, opens, session.diagnostics);
  if (!read || read->sets.empty()) return read;
  flags.set.insert(flags.set.begin(), read->sets.begin(), read->sets.end());
  flags.set.emplace_back(planner::kLayoutSaid);
  if (const std::string own = planner::own_set(read->scenario.sample.software.errors.own); !own.empty())
    flags.set.push_back(own);
  return read;
}

const dsl::Source* open_text(const CommonFlags& common, Streams& streams, Session& session, planner::Opens opens) {
  open_catalog(session, common.catalog);
  const bool of_a_run = opens == planner::Opens::written;
  return (of_a_run ? read_run_text : read_scenario_text)(common.inputs.at(0), streams, session);
}

Opened load_open(const dsl::Source* text, ScenarioFlags& flags, Session& session, double limit, planner::Opens opens,
                 int64_t shards) {
  if (!text || session.diagnostics.has_errors()) return {text, std::nullopt};
  auto read = open_layout(*text, opens, flags, session);
  if (!read) return {text, std::nullopt};
  const double candidates = check_limit(read->scenario, limit, shards, session.diagnostics);
  return {text, std::move(read->scenario), candidates, std::move(read->opened)};
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

planner::Reread reread(const ScenarioFlags& flags, Session& session) {
  return [&flags, &session](const planner::Sets& sets) {
    const auto [overrides, chosen] = set_apart(sets, flags);
    dsl::Diagnostics unasked;
    return planner::read_scenario(session.sources.front(), overrides, session.catalog, session.sources, unasked,
                                  {.pick_first = flags.pick == "first", .chosen = chosen});
  };
}

planner::Neighbours neighbours(const ScenarioFlags& flags, Session& session) {
  return [&flags, &session](const planner::Sets& sets, const planner::LoadedScenario& base) {
    auto [overrides, chosen] = set_apart(sets, flags);
    if (flags.pick == "first") choose_first(flags, base, session, chosen);
    return planner::read_nearby({session.sources.front(), overrides, session.catalog, session.sources}, chosen, base);
  };
}

planner::Plan advised_plan(const planner::LoadedScenario& loaded, const ScenarioFlags& flags, Session& session) {
  return planner::make_advised_plan(loaded, neighbours(flags, session), reread(flags, session));
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
