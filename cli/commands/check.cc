#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/open.h"
#include "cli/input/catalogue.h"
#include "cli/input/foreign.h"
#include "cli/pages/diagnostics_report.h"
#include "planner/plan/goals.h"
#include "planner/plan/plan.h"
#include "planner/resolve/alternatives.h"
#include "planner/resolve/layout_policy.h"
#include "planner/resolve/read.h"
#include "planner/resolve/roadmap_read.h"
#include "planner/search/sweep.h"

namespace cli {
namespace {

/// A layout that is left to a search is fine, if the policy that opens it is.
std::vector<dsl::Override> with_layout(const planner::ScenarioText& text, dsl::Diagnostics& diagnostics) {
  dsl::Diagnostics told;  // where the scenario is read without choices
  const auto open = planner::read_open_scenario(text.source, text.overrides, text.catalog, text.sources, told);
  std::vector<dsl::Override> overrides = text.overrides;
  if (!open) add_mistakes(told, diagnostics);
  if (!open || !open->layout.automatic) return overrides;
  planner::fields_to_open(*open, text, planner::Opens::said, diagnostics);
  overrides.push_back({"parallelism.auto=false"});
  return overrides;
}

constexpr int64_t kMostTried = 1 << 17;  // combinations, a tenth of a second

/// Open choices are fine in a scenario for `search`: the first values are checked. Where these do not go together (a
/// count that is not whole), it is the first combination that a search plans.
std::optional<planner::LoadedScenario> first_of(const planner::ScenarioText& text,
                                                const std::optional<planner::OpenScenario>& open,
                                                dsl::Diagnostics& diagnostics) {
  dsl::Diagnostics of_first;
  auto loaded =
      planner::read_scenario(text.source, text.overrides, text.catalog, text.sources, of_first, {.pick_first = true});
  const auto choices = loaded || !open ? std::nullopt : planner::first_choices(*open, kMostTried);
  if (choices) {
    of_first.list.clear();
    loaded = planner::read_scenario(text.source, text.overrides, text.catalog, text.sources, of_first,
                                    {.chosen = choice_sets(planner::choice_names(open->space), *choices)});
  }
  add_mistakes(of_first, diagnostics);
  return loaded;
}

void check_choices(const planner::ScenarioText& text, Session& session) {
  const std::vector<dsl::Override> overrides = with_layout(text, session.diagnostics);
  if (session.diagnostics.has_errors()) return;
  const planner::ScenarioText read{text.source, overrides, session.catalog, session.sources};
  dsl::Diagnostics told;  // by the reading without choices
  const auto open = planner::read_open_scenario(text.source, overrides, session.catalog, session.sources, told);
  auto loaded = first_of(read, open, session.diagnostics);
  if (!loaded) return;
  planner::Plan plan = planner::make_plan(loaded->scenario);
  planner::check_goals(plan, *loaded, session.diagnostics);
  if (open && open->roadmap) planner::read_roadmap(*open, session.catalog, session.sources, session.diagnostics);
}

/// Each entry that a list of `use` names, until one has mistakes: those of the scenario itself are all of theirs.
void check_scenario(const dsl::Source& source, Session& session) {
  const std::vector<dsl::Override> none;
  const planner::ScenarioText text{source, none, session.catalog, session.sources};
  for (const planner::UsedEntries& used : planner::alternatives_of(text, session.diagnostics)) {
    const std::vector<dsl::Override> overrides = planner::overrides_of(text, used);
    check_choices({source, overrides, session.catalog, session.sources}, session);
    if (session.diagnostics.has_errors()) return;
  }
}

bool is_figure(const dsl::Field& field) {
  return field.type == dsl::Type::count || field.type == dsl::Type::number || field.type == dsl::Type::quantity;
}

void check_sources(const Entry& entry, Session& session) {
  for (const auto& [path, slot] : entry.record.slots)
    if (slot.given && is_figure(*slot.field) && source_comment(slot).empty() && slot.span.source &&
        slot.span.source->name == entry.source->name)
      session.diagnostics.warning(slot.span, "'" + path + "' has no source",
                                  "end the line with a comment that says where the figure comes from");
}

/// Reads one file of any kind and collects every mistake in the session. A figure of an accelerator, a cluster or a
/// calibration without a source comment is a warning.
void check_file(const std::string& path, const CommonFlags& common, Streams& streams, Session& session) {
  open_catalog(session, common.catalog);
  const dsl::Source* source = read_scenario_text(path, streams, session);
  if (!source || session.diagnostics.has_errors()) return;
  const EntryKind& kind = kind_of_file(*source);
  if (!kind.schema) return check_scenario(*source, session);
  Entry entry = read_entry(kind, path.starts_with('/') ? path : "./" + path, session);
  if (kind.sourced && !session.diagnostics.has_errors()) check_sources(entry, session);
}

int run_check(const PlainFlags& options, Streams& streams) {
  std::vector<Session> sessions(options.common.inputs.size());  // keep the sources that the diagnostics point into
  Session all;
  std::string good;
  for (size_t i = 0; i < sessions.size(); ++i) {
    check_file(options.common.inputs[i], options.common, streams, sessions[i]);
    const auto& found = sessions[i].diagnostics;
    add_mistakes(found, all.diagnostics);
    if (!found.has_errors() && !options.common.quiet) good += options.common.inputs[i] + ": OK\n";
  }
  CommonFlags text = options.common;
  text.format = "table";
  int status = report_diagnostics(text, streams, all);
  if (options.common.format == "table") streams.out << good;
  else if (int wrong = print(diagnostics_report(all.diagnostics), options.common, streams, "check")) return wrong;
  return status;
}

constexpr Example kCheckExamples[] = {
    {"mistakes in one file", "trainplan check example:gpt3-175b"},
    {"in all files of a folder", "trainplan init --example gpt3-175b --output a.yaml && trainplan check *.yaml"},
};

}  // namespace

Command check_command() {
  return command_of<kPlainFlags, run_check>({.name = "check",
                                             .summary = "report mistakes in scenario and catalogue files",
                                             .argument = "FILE...",
                                             .examples = kCheckExamples,
                                             .places = true});
}

}  // namespace cli
