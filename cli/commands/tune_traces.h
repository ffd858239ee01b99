// `trainplan tune TRACE...`: passes and strategies of a run that was measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/common.h"
#include "planner/tuning/tuned.h"

namespace cli {

struct TuneFlags {
  CommonFlags common;
  ScenarioFlags scenario;
  int64_t most_partitions = planner::tuning::kUsualPartitions;
  std::vector<std::string> passes;        // empty: all
  std::string memory;                     // of a device; "": not given
  std::string strategy, write_decisions;  // "": not given
  bool skip_broken = false;
};

/// The strategies that are set side by side for a subject.
std::vector<planner::tuning::Candidate> strategies_of(const planner::tuning::Subject& subject,
                                                      const TuneFlags& options);

/// --memory in bytes; nullopt: it is not given, or no size (diagnosed).
std::optional<double> memory_budget(const TuneFlags& options, dsl::Diagnostics& diagnostics);

int tune_traces(const TuneFlags& options, Streams& streams);

}  // namespace cli
