#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/interrupt.h"
#include "cli/pages/machines_report.h"
#include "cli/pages/plan_basis.h"

namespace cli {
namespace {

struct ClustersFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  std::vector<std::string> on;  // in place of cluster.use
};

constexpr std::array kClustersRows{
    flag<&ClustersFlags::on>(
        {"--on", "A,B",
         "use these clusters instead of the scenario's cluster.use; 'p5*' is all of that name, all "
         "is every one of the catalogue",
         Takes::list}),
};
constexpr auto kClustersFlags = scenario_flags(kClustersRows);

/// The names with patterns replaced by what they match: "p5*", "all". A pattern without any is diagnosed.
std::vector<std::string> matched(const std::vector<std::string>& asked, Session& session) {
  std::vector<std::string> names;
  for (const std::string& name : asked) {
    const std::string pattern = name == "all" ? "*" : name;
    const size_t before = names.size();
    if (pattern.find_first_of("*?") == std::string::npos) names.push_back(name);
    else
      for (const std::string& known : dsl::catalog_names(session.catalog, "cluster"))
        if (fnmatch(pattern.c_str(), known.c_str(), 0) == 0) names.push_back(known);
    if (names.size() == before)
      session.diagnostics.error({}, fmt::format("--on: no cluster of the catalogue is named '{}'", name),
                                "`trainplan list cluster` prints the names");
  }
  return names;
}

/// --on as `--set` takes it.
std::string use_set(const std::vector<std::string>& names) {
  return fmt::format("cluster.use=[{}]", fmt::join(names, ", "));
}

/// "llama3-70b, 3 machines".
std::string title_of(const std::string& model, size_t machines) {
  return fmt::format("{}, {} machine{}", model.empty() ? "a model" : model, machines, machines == 1 ? "" : "s");
}

/// Makes the title from the first machine with which the scenario can be read. Each row reports the mistakes of its own
/// machine.
void read_title(const planner::ScenarioText& text, const std::vector<planner::UsedEntries>& machines,
                std::string& title, Session& session) {
  for (const planner::UsedEntries& machine : machines) {
    const std::vector<dsl::Override> overrides = planner::overrides_of(text, machine);
    dsl::Diagnostics told;
    const auto base = planner::read_open_scenario(text.source, overrides, text.catalog, text.sources, told);
    if (!base) continue;
    title = title_of(base->sample.model.name, machines.size());
    return refuse_lengths(base->sample.lengths, base->space.record(), "clusters", session.diagnostics);
  }
}

/// The session reports mistakes.
std::vector<planner::MachineRow> rows_of(const ClustersFlags& options, Streams& streams, Session& session,
                                         std::string& title) {
  open_catalog(session, options.common.catalog);
  const dsl::Source* source = read_input(options.common.inputs.at(0), streams, session);
  if (!source || session.diagnostics.has_errors()) return {};
  std::vector<dsl::Override> overrides = set_overrides(options.scenario);
  if (!options.on.empty()) overrides.push_back({use_set(matched(options.on, session))});
  if (session.diagnostics.has_errors()) return {};
  const planner::ScenarioText text{*source, overrides, session.catalog, session.sources};
  const std::vector<planner::UsedEntries> machines = planner::alternatives_of(text, session.diagnostics);
  if (session.diagnostics.has_errors()) return {};
  read_title(text, machines, title, session);
  if (session.diagnostics.has_errors()) return {};
  planner::SearchOptions search;
  search.threads = thread_count(options.scenario);
  search.stop = &interrupted();
  return planner::machine_rows(text, machines, search, session.diagnostics);
}

int run_clusters(const ClustersFlags& options, Streams& streams) {
  Session session;
  std::string title;
  const Interruptible guard;
  const std::vector<planner::MachineRow> rows = rows_of(options, streams, session, title);
  std::vector<std::pair<std::string, double>> assumed;
  for (const planner::MachineRow& row : rows)
    if (row.plan) assumed.emplace_back(row.name, row.plan->errors.assumed);
  warn_of_unlike(assumed, session.diagnostics);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  Report report = machines_report(title, rows);
  report.picture = [&] { return machines_picture(title, rows); };
  if (int status = print_found(std::move(report), options.common, interrupted(), streams, "clusters")) return status;
  return planner::best_machine(rows) ? kDone : kNotFeasible;
}

constexpr Example kClustersExamples[] = {
    {"which of three machines, and how many, in 30 days", "trainplan clusters example:which-cluster"},
    {"two machines of the catalogue, for a run without a layout",
     "trainplan clusters example:layout-of-70b --on dgx-h100,dgx-b200"},
};

}  // namespace

Command clusters_command() {
  return command_of<kClustersFlags, run_clusters>(
      {.name = "clusters",
       .summary =
           "machines side by side, each with its best layout: days, money, energy, and which of them meet the goal",
       .argument = "SCENARIO",
       .examples = kClustersExamples,
       .pictures = true});
}

}  // namespace cli
