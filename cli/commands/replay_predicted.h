// Execution traces of `trainplan replay` that are predicted on a machine (planner/replay/predicted.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/replay_files.h"
#include "cli/commands/replay_machines.h"
#include "planner/replay/statistics.h"

namespace cli {

/// Whether a machine is requested for execution traces alone, whose operators have shapes.
bool is_predicted(const ReplayFiles& files, const ReplayMachineFlags& machines);

/// Diagnosed, if a machine is requested for execution traces alone: files without shapes among some that have them.
void tell_of_shapes(const ReplayFiles& files, const ReplayMachineFlags& machines, dsl::Diagnostics& diagnostics);

struct PredictionFlags {
  std::string begins;            // --begins, a file; "": all ranks begin at once
  std::string tables;            // --tables, a file; "": tables are where the traces have them
  std::optional<int64_t> batch;  // --batch
  std::optional<int64_t> ranks;  // of the run, where execution traces are of some of them
};

/// Diagnosed: flags of a prediction where nothing is predicted.
void tell_of_prediction(const PredictionFlags& flags, bool is_predicted, dsl::Diagnostics& diagnostics);

/// Returns the ranks with predicted times. If another batch is requested, their traces are of that batch. `times`
/// nullopt: hosts take no time. Diagnosed: statistics without spans, a batch that no layer gives, unpredictable work.
/// Warned: operators unlike any of the statistics.
std::vector<planner::trace::RankTrace> predicted_ranks(std::vector<planner::trace::Execution>& executions,
                                                       const operator_models::Machine& machine,
                                                       const std::optional<planner::replay::Statistics>& times,
                                                       const PredictionFlags& flags, Streams& streams,
                                                       Session& session);

/// The flags as those of a trace that was measured on the machine.
ReplayMachineFlags measured_on_it(const ReplayMachineFlags& machines);

}  // namespace cli
