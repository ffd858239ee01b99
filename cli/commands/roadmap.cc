#include "planner/studies/roadmap/roadmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/interrupt.h"
#include "cli/commands/open.h"
#include "cli/commands/search_output.h"
#include "cli/input/foreign.h"
#include "cli/pages/plan_basis.h"
#include "cli/pages/search_report.h"
#include "cli/pages/study_pages.h"
#include "planner/resolve/read.h"

namespace cli {
namespace {

constexpr auto kRoadmapFlags = scenario_flags<PlainScenarioFlags>();

/// The session reports mistakes.
std::vector<planner::RoadmapCell> cells_of(const PlainScenarioFlags& options, Streams& streams, Session& session,
                                           std::string& title) {
  open_catalog(session, options.common.catalog);
  const dsl::Source* source = read_scenario_text(options.common.inputs.at(0), streams, session);
  if (!source || session.diagnostics.has_errors()) return {};
  ScenarioFlags flags = options.scenario;  // with what `parallelism: auto` opens
  const auto read = open_layout(*source, planner::Opens::said, flags, session);
  if (!read) return {};
  const planner::OpenScenario* base = &read->scenario;
  const std::vector<dsl::Override> overrides = set_overrides(flags);
  refuse_lengths(base->sample.lengths, base->space.record(), "roadmap", session.diagnostics);
  title = base->sample.model.name.empty() ? "a model" : base->sample.model.name;
  const auto roadmap = planner::read_roadmap(*base, session.catalog, session.sources, session.diagnostics);
  if (!roadmap || session.diagnostics.has_errors()) return {};
  planner::SearchOptions search;
  search.threads = thread_count(options.scenario);
  const planner::ScenarioText text{*source, overrides, session.catalog, session.sources};
  return watched(search, options.common, streams,
                 [&] { return planner::roadmap_cells(*roadmap, text, search, session.diagnostics); });
}

void tell_rate(const std::vector<planner::RoadmapCell>& cells, double seconds, Streams& streams) {
  int64_t configurations = 0;
  for (const planner::RoadmapCell& cell : cells) configurations += cell.evaluated;
  streams.err << fmt::format("timing: {} cells, {} configurations in {:.3f} ms, {:.0f} configurations per second\n",
                             cells.size(), configurations, seconds * 1e3,
                             static_cast<double>(configurations) / seconds);
}

int run_roadmap(const PlainScenarioFlags& options, Streams& streams) {
  Session session;
  std::string title;
  const auto start = std::chrono::steady_clock::now();
  const Interruptible guard;
  const std::vector<planner::RoadmapCell> cells = cells_of(options, streams, session, title);
  std::vector<std::pair<std::string, double>> assumed;
  for (const planner::RoadmapCell& cell : cells)
    if (cell.results) assumed.emplace_back(cell.step, cell.results->errors.assumed);
  warn_of_unlike(assumed, session.diagnostics);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  if (options.common.timing)
    tell_rate(cells, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), streams);
  Report report = roadmap_report(title, cells);
  report.picture = [&] { return roadmap_grid(title + ": the run on each step", cells); };
  if (int status = print_found(std::move(report), options.common, interrupted(), streams, "roadmap")) return status;
  const bool any = std::any_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.feasible; });
  return any ? kDone : kNotFeasible;
}

constexpr Example kRoadmapExamples[] = {
    {"a run on tomorrow's machines", "trainplan roadmap example:gpt3-175b-roadmap"},
    {"the same as a table for other programs", "trainplan roadmap example:gpt3-175b-roadmap --format csv"},
};

}  // namespace

Command roadmap_command() {
  return command_of<kRoadmapFlags, run_roadmap>(
      {.name = "roadmap",
       .summary = "the scenario on future hardware and models: the best plan of each step",
       .argument = "SCENARIO",
       .examples = kRoadmapExamples,
       .pictures = true});
}

}  // namespace cli
