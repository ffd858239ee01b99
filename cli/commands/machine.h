// The machine that a calibration is for, from the names of the command line.
#pragma once

#include <optional>

#include "cli/input/session.h"
#include "operator_models/calibrate/sample.h"

namespace cli {

/// What `calibrate` calls its machine; "": not given.
struct MachineNames {
  std::string cluster, gpu, score;
};

/// --cluster, --gpu or --score NAME, the first that is given: a cluster with its network; an accelerator; or for
/// --score also a calibration, on the accelerator that it is the calibration of. An accelerator's network is that of
/// the catalogue's cluster of it whose nodes are joined fastest. Diagnosed: an unknown name, none at all.
std::optional<operator_models::Machine> find_machine(const MachineNames& names, Session& session);

/// What --set writes over a machine.
struct MachineSets {
  std::vector<dsl::Override> sets = {};
  bool shared = false;  // somebody else's too: those outside of `cluster.` are then no entry's of the catalogue
};

/// The machine of a catalogue name or a file: a cluster, or an accelerator or calibration as above, but that an
/// accelerator's network is that of the cluster of it whose GPUs are joined fastest inside a node, and of several such
/// whose nodes are; of the file of a scenario its cluster. Diagnosed: an unknown name, a scenario whose cluster has
/// open choices, and sets that fit nothing in it.
std::optional<operator_models::Machine> machine_named(const std::string& name, Session& session,
                                                      const MachineSets& sets = {});

}  // namespace cli
