#include "cli/commands/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/input/catalogue.h"
#include "dsl/read_text.h"
#include "operator_models/calibration_check.h"
#include "planner/resolve/read.h"

namespace cli {
namespace {

using operator_models::Machine;

/// By the name of its file or another that the catalogue has for it.
bool has(const Session& session, const char* kind, const std::string& name) {
  const std::vector<std::string> names = dsl::catalog_names(session.catalog, kind);
  const std::string_view entry = session.catalog.builtin.vocabulary.entry_of(kind, name);
  return std::find(names.begin(), names.end(), name) != names.end() ||
         std::find(names.begin(), names.end(), entry) != names.end();
}

constexpr const char* kCluster = "cluster.";
constexpr const char* kCalibration = "cluster.gpu.calibration.";

/// Diagnosed: its tables that a model would pass over.
void read_calibration(Machine& machine, const dsl::Record& record, Session& session) {
  machine.calibration = dsl::bind<operator_models::Calibration>(record, kCalibration);
  operator_models::check_calibration(record, kCalibration, machine.calibration, machine.network, session.diagnostics);
}

using Sets = std::vector<dsl::Override>;

/// Tiers, hosts and nodes, which a cluster has.
void read_nodes(Machine& machine, const dsl::Record& record) {
  machine.host = dsl::bind<hw_profiles::Host>(record, "cluster.host.");
  const size_t tiers = record.size("cluster.network");
  for (size_t i = 0; i < tiers; ++i)
    machine.network.push_back(dsl::bind<hw_profiles::Tier>(record, fmt::format("cluster.network[{}].", i)));
  if (const dsl::Slot* per_node = record.find("cluster.gpus_per_node"); per_node)
    machine.gpus_per_node = static_cast<int64_t>(std::get<dsl::Number>(per_node->value.v).value);
}

/// From an entry of a kind, "accelerator" or "cluster".
std::optional<Machine> from_entry(std::string_view kind, const std::string& name, Session& session,
                                  const Sets& sets = {}) {
  Entry entry = read_entry(*find_kind(kind), name, session, sets);
  if (!entry.source || session.diagnostics.has_errors()) return std::nullopt;
  Machine machine;
  machine.gpu = dsl::bind<hw_profiles::Accelerator>(entry.record, "cluster.gpu.");
  if (kind == "cluster") read_nodes(machine, entry.record);
  read_calibration(machine, entry.record, session);
  return machine;
}

using Networks = std::vector<hw_profiles::Tier>;
bool faster_between_nodes(const Networks& a, const Networks& b) { return a.back().bandwidth > b.back().bandwidth; }
bool faster_in_nodes(const Networks& a, const Networks& b) {
  return std::pair(a.front().bandwidth, a.back().bandwidth) > std::pair(b.front().bandwidth, b.back().bandwidth);
}

/// Of the catalogue's clusters built of this accelerator the one with the fastest network.
void add_network(Machine& machine, Session& session, bool (*is_faster)(const Networks&, const Networks&)) {
  for (const std::string& name : dsl::catalog_names(session.catalog, "cluster")) {
    Session apart{{}, {}, session.catalog};
    auto cluster = from_entry("cluster", name, apart);
    if (!cluster || cluster->gpu.name != machine.gpu.name || cluster->network.empty()) continue;
    if (!machine.network.empty() && !is_faster(cluster->network, machine.network)) continue;
    machine.network = cluster->network;
    machine.gpus_per_node = cluster->gpus_per_node;
    machine.host = cluster->host;
  }
}

/// The accelerator whose calibration has this name; of several the one with the fastest memory, which the tables are
/// of.
std::optional<Machine> from_calibration(const std::string& name, Session& session, const Sets& sets) {
  std::optional<Machine> best;
  std::string best_gpu;
  for (const std::string& gpu : dsl::catalog_names(session.catalog, "accelerator")) {
    Session apart{{}, {}, session.catalog};
    auto machine = from_entry("accelerator", gpu, apart);
    if (!machine || machine->calibration.name != name) continue;
    if (best && machine->gpu.memory_bandwidth <= best->gpu.memory_bandwidth) continue;
    best = std::move(machine);
    best_gpu = gpu;
  }
  if (best) return sets.empty() ? best : from_entry("accelerator", best_gpu, session, sets);
  session.diagnostics.error({}, fmt::format("no accelerator has the calibration '{}'", name),
                            "--gpu says which one to score it on");
  return std::nullopt;
}

std::optional<Machine> unknown(const std::string& name, Session& session) {
  std::vector<std::string> names;
  for (const char* kind : {"accelerator", "cluster", "calibration"})
    for (std::string& n : dsl::catalog_names(session.catalog, kind)) names.push_back(std::move(n));
  session.diagnostics.error({}, fmt::format("no accelerator, cluster or calibration '{}'", name),
                            dsl::did_you_mean(name, names));
  return std::nullopt;
}

/// The kind of a file, by its content; "": it has none, or cannot be read.
std::string_view kind_of(const std::string& name) {
  std::string why;
  std::optional<std::string> text;
  if (name.ends_with(".yaml")) text = dsl::read_file(name, dsl::ParseLimits{}.bytes, why);
  return text ? kind_of_file({name, *std::move(text), ""}).name : "";
}

/// A machine is one, whatever else of the scenario is open: how many GPUs a job takes is not the machine's to say.
bool is_open(const dsl::OpenItem& item) { return item.path.starts_with(kCluster) && item.path != "cluster.gpus"; }

std::optional<Machine> from_scenario(const std::string& name, Session& session, const Sets& sets) {
  std::string why;
  const dsl::Source* source = dsl::open_file(name, "", "", session.sources, why);
  if (!source) return session.diagnostics.error({}, why), std::nullopt;
  const auto read = planner::read_open_scenario(*source, sets, session.catalog, session.sources, session.diagnostics);
  if (!read) return std::nullopt;
  for (const dsl::OpenItem& item : read->space.items())
    if (is_open(item))
      session.diagnostics.error(item.span, fmt::format("'{}' is open, and a machine has one value of it", item.path),
                                fmt::format("--set {}=... says which", item.path));
  if (session.diagnostics.has_errors()) return std::nullopt;
  const hw_profiles::Cluster& cluster = read->sample.cluster;
  return Machine{.gpu = cluster.gpu,
                 .network = cluster.network,
                 .gpus_per_node = cluster.gpus_per_node,
                 .calibration = read->sample.calibration,
                 .host = cluster.host};
}

std::optional<Machine> by_name(const std::string& name, Session& session, const Sets& sets = {}) {
  if (name.ends_with(".yaml") || has(session, "accelerator", name))
    return from_entry("accelerator", name, session, sets);
  if (has(session, "cluster", name)) return from_entry("cluster", name, session, sets);
  if (has(session, "calibration", name)) return from_calibration(name, session, sets);
  return unknown(name, session);
}

/// The figures of another profile, for this machine.
void take_profile(Machine& machine, const std::string& name, Session& session) {
  if (has(session, "calibration", name)) {
    Entry entry = read_entry(*find_kind("calibration"), name, session);
    if (entry.source && !session.diagnostics.has_errors()) read_calibration(machine, entry.record, session);
  } else if (auto other = by_name(name, session)) {
    machine.calibration = std::move(other->calibration);
  }
}

std::optional<Machine> named(const std::string& name, Session& session, const MachineSets& sets) {
  const std::string_view kind = kind_of(name);
  if (kind == "scenario") return from_scenario(name, session, sets.sets);
  Sets own = sets.sets;
  if (sets.shared) std::erase_if(own, [](const dsl::Override& set) { return !set.text.starts_with(kCluster); });
  return kind == "cluster" ? from_entry("cluster", name, session, own) : by_name(name, session, own);
}

}  // namespace

std::optional<Machine> find_machine(const MachineNames& names, Session& session) {
  std::optional<Machine> machine;
  if (!names.cluster.empty()) machine = from_entry("cluster", names.cluster, session);
  else if (!names.gpu.empty()) machine = by_name(names.gpu, session);
  else if (!names.score.empty()) machine = by_name(names.score, session);
  else session.diagnostics.error({}, "which accelerator was measured?", "--gpu NAME, or --cluster NAME");
  if (machine && !names.score.empty() && !(names.cluster.empty() && names.gpu.empty()))
    take_profile(*machine, names.score, session);
  if (machine && machine->network.empty()) add_network(*machine, session, faster_between_nodes);
  return machine;
}

std::optional<Machine> machine_named(const std::string& name, Session& session, const MachineSets& sets) {
  std::optional<Machine> machine = named(name, session, sets);
  if (machine && machine->network.empty()) add_network(*machine, session, faster_in_nodes);
  return machine;
}

}  // namespace cli
