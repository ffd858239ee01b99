#include "cli/commands/replay_machines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cli/commands/replay_values.h"

namespace cli {
namespace {

using operator_models::Machine;

std::set<std::string> devices_of(const planner::trace::Trace& trace) {
  std::set<std::string> devices;
  for (const planner::trace::RankTrace& rank : trace) devices.insert(rank.device);
  return devices;
}

/// Whether there is anything to predict: to look for a machine takes longer than to read a small trace.
bool communicates(const planner::trace::Trace& trace) {
  using planner::trace::Event;
  return std::ranges::any_of(trace, [](const planner::trace::RankTrace& rank) {
    return std::ranges::any_of(rank.events,
                               [](const Event& event) { return event.role == planner::trace::Role::communication; });
  });
}

/// Returns "" or why the devices of a trace are not a machine of the catalogue.
std::string wrong_devices(const std::set<std::string>& devices, const Session& session) {
  if (devices.size() > 1) return fmt::format("the ranks ran on different devices: {}", fmt::join(devices, ", "));
  const std::string& device = *devices.begin();
  if (device.empty()) return "the traces do not say their device";
  const bool known = session.catalog.builtin.vocabulary.entry_of("accelerator", device) != device;
  return known ? "" : fmt::format("the catalogue has no accelerator '{}'", device);
}

}  // namespace

ReplayMachines replay_machines(const ReplayMachineFlags& flags, const MachineSets& sets, const std::string& hosts,
                               const planner::trace::Trace& trace, Session& session) {
  ReplayMachines machines{.from = {}, .on = {}, .unknown = {}, .hosts = {}, .ranks = flags.ranks};
  machines.hosts = named_hosts(hosts, session.diagnostics).value_or(std::map<int64_t, size_t>{});
  const std::set<std::string> devices = devices_of(trace);
  if (flags.from.empty()) machines.unknown = wrong_devices(devices, session);
  if (!machines.unknown.empty() && flags.changes())
    session.diagnostics.error({}, machines.unknown, "--from-machine NAME says what the traces were measured on");
  const bool asked = flags.changes() || !flags.from.empty() || communicates(trace);
  if (asked && machines.unknown.empty())
    machines.from = machine_named(flags.from.empty() ? *devices.begin() : flags.from, session);
  if (!flags.on.empty()) machines.on = machine_named(flags.on, session, sets);
  return machines;
}

ReplayMachines machine_of(const planner::trace::Trace& trace, Session& session) {
  const std::set<std::string> devices = devices_of(trace);
  ReplayMachines machines{.from = {}, .on = {}, .unknown = wrong_devices(devices, session), .hosts = {}, .ranks = {}};
  if (machines.unknown.empty()) machines.from = machine_named(*devices.begin(), session);
  return machines;
}

std::optional<Machine> execution_machine(const ReplayMachineFlags& flags, const MachineSets& sets, Session& session) {
  const std::string& name = flags.on.empty() ? flags.from : flags.on;
  if (name.empty()) return std::nullopt;
  std::optional<Machine> machine = machine_named(name, session, flags.on.empty() ? MachineSets{} : sets);
  if (!machine || !machine->network.empty()) return machine;
  session.diagnostics.error({}, fmt::format("the catalogue has no network of '{}'", name), "name a cluster");
  return std::nullopt;
}

planner::replay::Priced ReplayMachines::price(const planner::trace::Trace& trace,
                                              const planner::trace::Matched& matched) const {
  if (!from) return {};
  const planner::replay::Site here{&*from, hosts};
  const planner::replay::Site there{on ? &*on : &*from, {}, ranks};  // ranks fill its nodes
  return planner::replay::price(trace, matched, here, on || ranks ? &there : nullptr);
}

}  // namespace cli
