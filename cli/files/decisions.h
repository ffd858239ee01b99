// Decisions of `tune` as the JSON that `replay --apply` reads: trainplan.decisions/1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/report/data.h"
#include "dsl/diagnostic.h"
#include "planner/tuning/trace_tuner.h"

namespace cli {

inline constexpr const char* kDecisionsFormat = "trainplan.decisions/1";

/// The content to write: how gradients are reduced, how computation is changed, and the gain of each decision.
struct DecisionsFile {
  std::string strategy = {};  // whose buckets; "": of a run without reductions
  double measured_seconds = 0, replayed_seconds = 0;
  int64_t ranks = 0;
  std::optional<planner::replay::Decisions> reductions = {};
  std::vector<planner::tuning::Decision> gains = {};  // of `reductions`
  planner::replay::PassEdits passes = {};
  std::vector<planner::tuning::TraceDecision> taken = {};
};
Data decisions_document(const DecisionsFile& file);

/// The content read, and the places of statements that a trace may contradict.
struct ReadDecisions {
  planner::replay::Decisions decisions;  // no buckets: gradients are reduced as they were
  planner::replay::PassEdits passes;
  int64_t ranks = 0;
  dsl::Span gradients_span, ranks_span;
};
/// nullopt: it is not such a file, or a gradient is in two buckets or in none (diagnosed at its place).
std::optional<ReadDecisions> read_decisions(const dsl::Source& source, dsl::Diagnostics& diagnostics);

}  // namespace cli
