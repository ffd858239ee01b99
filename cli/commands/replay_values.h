// Values of flags of `trainplan replay` that name ranks of the trace.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dsl/diagnostic.h"
#include "planner/replay/edits.h"
#include "planner/trace/trace.h"

namespace cli {

/// --hosts: the number of the host of each rank that it names. nullopt: as below.
std::optional<std::map<int64_t, size_t>> named_hosts(const std::string& text, dsl::Diagnostics& diagnostics);

/// --hosts: by rank of the trace, the number of its host: "0-3,4-7", every other rank alone. nullopt: invalid
/// (diagnosed).
std::optional<std::vector<size_t>> hosts_of(const std::string& text, const planner::trace::Trace& measured,
                                            dsl::Diagnostics& diagnostics);

/// --scale-op: NAME[@RANK][ before NAME]=FACTOR; nullopt: invalid (diagnosed).
std::optional<planner::replay::Scaling> scaling_of(const std::string& text, const planner::trace::Trace& measured,
                                                   dsl::Diagnostics& diagnostics);

/// --remove: NAME[@RANK][ before NAME]; nullopt: invalid (diagnosed).
std::optional<planner::replay::Scaling> removal_of(const std::string& text, const planner::trace::Trace& measured,
                                                   dsl::Diagnostics& diagnostics);

/// --fuse: NAME[@RANK]; nullopt: invalid (diagnosed).
std::optional<planner::replay::Rearrangement> fusion_of(const std::string& text, const planner::trace::Trace& measured,
                                                        dsl::Diagnostics& diagnostics);

/// --move: NAME[@RANK]=STREAM; nullopt: invalid (diagnosed).
std::optional<planner::replay::Rearrangement> move_of(const std::string& text, const planner::trace::Trace& measured,
                                                      dsl::Diagnostics& diagnostics);

}  // namespace cli
