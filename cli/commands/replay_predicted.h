// Execution traces of `trainplan replay` that are predicted on a machine (planner/replay/predicted.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/replay_files.h"
#include "cli/commands/replay_machines.h"
#include "planner/replay/statistics.h"

namespace cli {

/// Whether a machine is asked of execution traces alone whose operators have shapes.
bool is_predicted(const ReplayFiles& files, const ReplayMachineFlags& machines);

/// Diagnosed, where a machine is asked of execution traces alone: files without shapes beside some that have them.
void tell_of_shapes(const ReplayFiles& files, const ReplayMachineFlags& machines, dsl::Diagnostics& diagnostics);

struct PredictionFlags {
  std::string begins;            // --begins, a file; "": all ranks begin at once
  std::string tables;            // --tables, a file; "": tables are where the traces have them
  std::optional<int64_t> batch;  // --batch
  std::optional<int64_t> ranks;  // of the run, where execution traces are of some of them
};

/// Diagnosed: flags of a prediction where nothing is predicted.
void tell_of_prediction(const PredictionFlags& flags, bool is_predicted, dsl::Diagnostics& diagnostics);

/// Returns the ranks with predicted times; their traces are of another batch then, where one is asked for. `times`
/// nullopt: hosts take none. Diagnosed: statistics without spans, a batch that no layer says, what cannot be predicted.
/// Warned: operators like none of the statistics.
std::vector<planner::trace::RankTrace> predicted_ranks(std::vector<planner::trace::Execution>& executions,
                                                       const operator_models::Machine& machine,
                                                       const std::optional<planner::replay::Statistics>& times,
                                                       const PredictionFlags& flags, Streams& streams,
                                                       Session& session);

/// The flags as those of a trace that was measured on the machine.
ReplayMachineFlags measured_on_it(const ReplayMachineFlags& machines);

}  // namespace cli
