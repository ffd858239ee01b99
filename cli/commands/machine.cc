#include "cli/commands/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/input/catalogue.h"
#include "dsl/read_text.h"
#include "operator_models/calibration_check.h"

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

constexpr const char* kCalibration = "cluster.gpu.calibration.";

/// Diagnosed: its tables that a model would pass over.
void read_calibration(Machine& machine, const dsl::Record& record, Session& session) {
  machine.calibration = dsl::bind<operator_models::Calibration>(record, kCalibration);
  operator_models::check_calibration(record, kCalibration, machine.calibration, machine.network, session.diagnostics);
}

std::optional<Machine> from_cluster(const std::string& name, Session& session) {
  Entry entry = read_entry(*find_kind("cluster"), name, session);
  if (!entry.source || session.diagnostics.has_errors()) return std::nullopt;
  Machine machine;
  machine.gpu = dsl::bind<hw_profiles::Accelerator>(entry.record, "cluster.gpu.");
  machine.host = dsl::bind<hw_profiles::Host>(entry.record, "cluster.host.");
  const size_t tiers = entry.record.size("cluster.network");
  for (size_t i = 0; i < tiers; ++i)
    machine.network.push_back(dsl::bind<hw_profiles::Tier>(entry.record, fmt::format("cluster.network[{}].", i)));
  read_calibration(machine, entry.record, session);
  if (const dsl::Slot* per_node = entry.record.find("cluster.gpus_per_node"); per_node)
    machine.gpus_per_node = static_cast<int64_t>(std::get<dsl::Number>(per_node->value.v).value);
  return machine;
}

std::optional<Machine> from_accelerator(const std::string& name, Session& session) {
  Entry entry = read_entry(*find_kind("accelerator"), name, session);
  if (!entry.source || session.diagnostics.has_errors()) return std::nullopt;
  Machine machine;
  machine.gpu = dsl::bind<hw_profiles::Accelerator>(entry.record, "cluster.gpu.");
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
    auto cluster = from_cluster(name, apart);
    if (!cluster || cluster->gpu.name != machine.gpu.name || cluster->network.empty()) continue;
    if (!machine.network.empty() && !is_faster(cluster->network, machine.network)) continue;
    machine.network = cluster->network;
    machine.gpus_per_node = cluster->gpus_per_node;
    machine.host = cluster->host;
  }
}

/// The accelerator whose calibration has this name; of several the one with the fastest memory, which the tables are
/// of.
std::optional<Machine> from_calibration(const std::string& name, Session& session) {
  std::optional<Machine> best;
  for (const std::string& gpu : dsl::catalog_names(session.catalog, "accelerator")) {
    Session apart{{}, {}, session.catalog};
    auto machine = from_accelerator(gpu, apart);
    if (!machine || machine->calibration.name != name) continue;
    if (!best || machine->gpu.memory_bandwidth > best->gpu.memory_bandwidth) best = std::move(machine);
  }
  if (best) return best;
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

bool is_cluster_file(const std::string& name) {
  std::string why;
  std::optional<std::string> text;
  if (name.ends_with(".yaml")) text = dsl::read_file(name, dsl::ParseLimits{}.bytes, why);
  return text && std::string_view(kind_of_file({name, *std::move(text), ""}).name) == "cluster";
}

std::optional<Machine> by_name(const std::string& name, Session& session) {
  if (name.ends_with(".yaml") || has(session, "accelerator", name)) return from_accelerator(name, session);
  if (has(session, "cluster", name)) return from_cluster(name, session);
  if (has(session, "calibration", name)) return from_calibration(name, session);
  return unknown(name, session);
}

}  // namespace

std::optional<Machine> find_machine(const CalibrateFlags& options, Session& session) {
  std::optional<Machine> machine;
  if (!options.cluster.empty()) machine = from_cluster(options.cluster, session);
  else if (!options.gpu.empty()) machine = by_name(options.gpu, session);
  else if (!options.score.empty()) machine = by_name(options.score, session);
  else session.diagnostics.error({}, "which accelerator was measured?", "--gpu NAME, or --cluster NAME");
  if (machine && machine->network.empty()) add_network(*machine, session, faster_between_nodes);
  return machine;
}

std::optional<Machine> machine_named(const std::string& name, Session& session) {
  std::optional<Machine> machine = is_cluster_file(name) ? from_cluster(name, session) : by_name(name, session);
  if (machine && machine->network.empty()) add_network(*machine, session, faster_in_nodes);
  return machine;
}

}  // namespace cli
