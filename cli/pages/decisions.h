// Decisions of `tune` as the JSON that `replay --apply` reads: trainplan.decisions/1.
#pragma once

#include <optional>
#include <span>

#include "cli/report/data.h"
#include "dsl/diagnostic.h"
#include "planner/tuning/real_graph.h"

namespace cli {

inline constexpr const char* kDecisionsFormat = "trainplan.decisions/1";

/// What is written: a strategy, and by how much each of its decisions makes the step shorter.
/// REQUIRES: it was replayed.
Data decisions_document(const planner::tuning::Candidate& candidate, const planner::tuning::Subject& subject,
                        const planner::replay::Decisions& decisions, std::span<const planner::tuning::Decision> gains);

/// What is read, and where the file says what a trace may contradict.
struct ReadDecisions {
  planner::replay::Decisions decisions;
  int64_t ranks = 0;
  dsl::Span gradients_span, ranks_span;
};
/// nullopt: it is no such file, or gradients of it are in two buckets or in none (diagnosed at its place).
std::optional<ReadDecisions> read_decisions(const dsl::Source& source, dsl::Diagnostics& diagnostics);

}  // namespace cli
