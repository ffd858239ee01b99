#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/commands/interrupt.h"
#include "cli/commands/open.h"
#include "cli/commands/search_output.h"
#include "cli/input/catalogue.h"
#include "cli/pages/machines_report.h"
#include "cli/pages/plan_basis.h"
#include "dsl/node_path.h"

namespace cli {
namespace {

struct ClustersFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  std::string from;             // a run in place of the scenario
  std::vector<std::string> on;  // in place of cluster.use
};

constexpr std::array kClustersRows{
    flag<&ClustersFlags::from>({"--from", "RUN",
                                "start from a run instead of SCENARIO, as search --from does: it is the first row, and "
                                "every machine has its best layout"}),
    flag<&ClustersFlags::on>(
        naming("cluster",
               {"--on", "A,B",
                "use these clusters instead of the scenario's cluster.use; 'p5*' is all of that name, aws, nvidia or "
                "h100 those of a provider, a vendor or a product line, all is every one of the catalogue",
                Takes::list})),
};
constexpr auto kClustersFlags = scenario_flags(kClustersRows);

/// What --on may call a cluster: its name, and the groups that it is in.
struct ClusterWords {
  std::string name;
  std::vector<std::string> groups;  // provider, vendor, product line
};

std::vector<ClusterWords> cluster_words(const Session& session) {
  std::vector<ClusterWords> all;
  for (const std::string& name : dsl::catalog_names(session.catalog, "cluster")) {
    Session apart{{}, {}, session.catalog};
    const Entry entry = read_entry(*find_kind("cluster"), name, apart);
    ClusterWords words{name, {}};
    for (const char* path : {"cluster.provider", "cluster.gpu.vendor", "cluster.gpu.family"})
      if (const dsl::Slot* slot = entry.record.find(path)) words.groups.push_back(dsl::to_text(slot->value));
    all.push_back(std::move(words));
  }
  return all;
}

bool is_meant(const ClusterWords& cluster, const std::string& word) {
  const bool is_group = std::ranges::find(cluster.groups, word) != cluster.groups.end();
  return word == "all" || is_group || fnmatch(word.c_str(), cluster.name.c_str(), 0) == 0;
}

/// A file, or another name of the catalogue's: the scenario reads it.
bool is_own_name(const std::string& word, const Session& session) {
  return word.ends_with(".yaml") || word.find('/') != std::string::npos ||
         session.catalog.builtin.vocabulary.entry_of("cluster", word) != word;
}

std::string hint_for(const std::string& word, const std::vector<ClusterWords>& clusters) {
  std::set<std::string> known;
  for (const ClusterWords& cluster : clusters) {
    known.insert(cluster.name);
    known.insert(cluster.groups.begin(), cluster.groups.end());
  }
  const std::string hint = dsl::did_you_mean(word, {known.begin(), known.end()});
  return hint.empty() ? "`trainplan list cluster` prints the names" : hint;
}

/// The names that --on asks for, each once. A word without any is diagnosed.
std::vector<std::string> matched(const std::vector<std::string>& asked, Session& session) {
  const std::vector<std::string> known = dsl::catalog_names(session.catalog, "cluster");
  const auto is_name = [&](const std::string& word) { return std::ranges::find(known, word) != known.end(); };
  if (std::ranges::all_of(asked, is_name)) return asked;  // entries need not be read
  const std::vector<ClusterWords> clusters = cluster_words(session);
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const std::string& word : asked) {
    const size_t before = names.size();
    if (is_own_name(word, session)) add(word);
    for (const ClusterWords& cluster : clusters)
      if (is_meant(cluster, word)) add(cluster.name);
    if (names.size() == before && std::ranges::none_of(names, [&](auto& name) { return name == word; }))
      session.diagnostics.error({}, fmt::format("--on: no cluster of the catalogue is named '{}'", word),
                                hint_for(word, clusters));
  }
  return names;
}

/// --on as `--set` takes it.
std::string use_set(const std::vector<std::string>& names) {
  return fmt::format("cluster.use=[{}]", fmt::join(names, ", "));
}

/// "tp 2, zero 1": what the scenario itself writes of a layout, which all machines then have; "" if nothing.
std::string written_layout(const planner::ScenarioText& text) {
  const dsl::Node own = planner::own_tree(text);
  const dsl::Node* layout = dsl::node_at(own, "parallelism");
  std::string line;
  for (const dsl::Entry& e : layout ? layout->entries : std::vector<dsl::Entry>{})
    if (e.value.kind == dsl::Node::Kind::scalar && e.key != "auto")
      line += (line.empty() ? "" : ", ") + e.key + " " + e.value.text;
  return line;
}

/// Reads it with the first machine with which the scenario can be read. Each row reports the mistakes of its own
/// machine.
void read_head(const planner::ScenarioText& text, const std::vector<planner::UsedEntries>& machines, MachinesHead& head,
               Session& session) {
  for (const planner::UsedEntries& machine : machines) {
    const std::vector<dsl::Override> overrides = planner::overrides_of(text, machine);
    dsl::Diagnostics told;
    const auto base = planner::read_open_scenario(text.source, overrides, text.catalog, text.sources, told);
    if (!base) continue;
    if (!base->sample.model.name.empty()) head.model = base->sample.model.name;
    head.goal = base->sample.goal;
    return refuse_lengths(base->sample.lengths, base->space.record(), "clusters", session.diagnostics);
  }
}

/// The session reports mistakes.
std::vector<planner::MachineRow> rows_of(const ClustersFlags& options, Streams& streams, Session& session,
                                         MachinesHead& head) {
  const bool from = !options.from.empty();
  const planner::Opens opens = from ? planner::Opens::written : planner::Opens::unwritten;
  const dsl::Source* source = open_text(options.common, streams, session, opens);
  if (!source || session.diagnostics.has_errors()) return {};
  const std::vector<dsl::Override> written = set_overrides(options.scenario);
  ScenarioFlags kept = options.scenario;
  if (from) keep_job(*source, kept, session);
  std::vector<dsl::Override> overrides = set_overrides(kept);
  if (!options.on.empty()) overrides.push_back({use_set(matched(options.on, session))});
  if (session.diagnostics.has_errors()) return {};
  const planner::ScenarioText run{*source, written, session.catalog, session.sources};
  const planner::ScenarioText text{*source, overrides, session.catalog, session.sources};
  const auto runs = from ? planner::alternatives_of(run, session.diagnostics) : std::vector<planner::UsedEntries>{};
  const std::vector<planner::UsedEntries> machines = planner::alternatives_of(text, session.diagnostics);
  if (session.diagnostics.has_errors()) return {};
  read_head(text, machines, head, session);
  if (!from) head.layout = written_layout(text);
  if (session.diagnostics.has_errors()) return {};
  const planner::MachineGroup groups[] = {{run, runs, planner::Opens::said, true}, {text, machines, opens}};
  planner::SearchOptions search;
  search.threads = thread_count(options.scenario);
  return watched(search, options.common, streams,
                 [&] { return planner::machine_rows(groups, search, session.diagnostics); });
}

int run_clusters(const ClustersFlags& given, Streams& streams) {
  if (const std::string wrong = wrong_source(given.common, given.from); !wrong.empty())
    return refuse_usage("clusters", wrong, streams);
  ClustersFlags options = given;
  if (!options.from.empty()) options.common.inputs = {options.from};
  Session session;
  MachinesHead head;
  const Interruptible guard;
  const std::vector<planner::MachineRow> rows = rows_of(options, streams, session, head);
  std::vector<std::pair<std::string, double>> assumed;
  for (const planner::MachineRow& row : rows)
    if (row.plan) assumed.emplace_back(row.name, row.plan->errors.assumed);
  warn_of_unlike(assumed, session.diagnostics);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  Report report = machines_report(head, rows);
  report.picture = [&] { return machines_picture(head, rows); };
  if (int status = print_found(std::move(report), options.common, interrupted(), streams, "clusters")) return status;
  return planner::best_machine(rows) ? kDone : kNotFeasible;
}

constexpr Example kClustersExamples[] = {
    {"which of three machines, and how many, in 30 days", "trainplan clusters example:which-cluster"},
    {"a launch script on other machines",
     "trainplan clusters --from example:launch.sh --set cluster.use=dgx-h100 --on dgx-h100,dgx-b200"},
};

}  // namespace

Command clusters_command() {
  return command_of<kClustersFlags, run_clusters>(
      {.name = "clusters",
       .summary =
           "machines side by side, each with its best layout: days, money, energy, and which of them meet the goal",
       .argument = "[SCENARIO]",
       .examples = kClustersExamples,
       .pictures = true});
}

}  // namespace cli
