#include "cli/commands/check.h"

#include "cli/input/catalogue.h"
#include "planner/plan/goals.h"
#include "planner/plan/plan.h"
#include "planner/resolve/read.h"
#include "planner/resolve/roadmap_read.h"

namespace cli {
namespace {

/// Open choices are fine in a scenario for `search`: the first values are checked.
void check_scenario(const dsl::Source& source, Session& session) {
  auto loaded =
      planner::read_scenario(source, {}, session.catalog, session.sources, session.diagnostics, {.pick_first = true});
  if (!loaded) return;
  planner::Plan plan = planner::make_plan(loaded->scenario);
  planner::check_goals(plan, *loaded, session.diagnostics);
  dsl::Diagnostics told;  // by the reading above
  const auto open = planner::read_open_scenario(source, {}, session.catalog, session.sources, told);
  if (open && open->roadmap) planner::read_roadmap(*open, session.catalog, session.sources, session.diagnostics);
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

}  // namespace

void check_file(const std::string& path, const Options& options, Streams& streams, Session& session) {
  open_catalog(session, options);
  const dsl::Source* source = read_input(path, streams, session);
  if (!source || session.diagnostics.has_errors()) return;
  const EntryKind& kind = kind_of_file(*source);
  if (!kind.schema) return check_scenario(*source, session);
  Entry entry = read_entry(kind, path.starts_with('/') ? path : "./" + path, session);
  if (kind.sourced && !session.diagnostics.has_errors()) check_sources(entry, session);
}

}  // namespace cli
