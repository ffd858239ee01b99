// The machines of `trainplan replay`: the one of the trace, and the one to predict.
#pragma once

#include <optional>
#include <string>

#include "cli/commands/machine.h"
#include "cli/input/session.h"
#include "operator_models/calibrate/sample.h"
#include "planner/replay/priced.h"

namespace cli {

struct ReplayMachineFlags {
  std::string from, on;          // --from-machine, --on; "": not given
  std::optional<int64_t> ranks;  // --ranks

  bool changes() const { return !on.empty() || ranks; }
};

struct ReplayMachines {
  std::optional<operator_models::Machine> from, on;
  std::string unknown;  // why there is no `from`, as printed on a page
  std::map<int64_t, size_t> hosts;
  std::optional<int64_t> ranks;

  /// The predictions of the models; empty if `from` is unknown.
  planner::replay::Priced price(const planner::trace::Trace& trace, const planner::trace::Matched& matched) const;
};

/// Finds them: `from` by its flag, else by the device names in the traces, which the catalogue lists. Diagnosed: an
/// unknown name; a device outside the catalogue, if another machine is requested. `sets`: of --on; `hosts`: the text of
/// --hosts.
ReplayMachines replay_machines(const ReplayMachineFlags& flags, const MachineSets& sets, const std::string& hosts,
                               const planner::trace::Trace& trace, Session& session);

/// The machine of the traces, by their device names; if unknown, `unknown` says why.
ReplayMachines machine_of(const planner::trace::Trace& trace, Session& session);

/// The machine that execution traces are run on: --on, else --from-machine; nullopt: neither is given, or the name is
/// unknown, or the machine has no network (diagnosed). `sets`: of --on.
std::optional<operator_models::Machine> execution_machine(const ReplayMachineFlags& flags, const MachineSets& sets,
                                                          Session& session);

}  // namespace cli
