// A placement of embedding tables that `trainplan shard --format json` printed, for `replay --tables`.
#pragma once

#include <optional>
#include <string>

#include "cli/input/session.h"
#include "planner/replay/predicted.h"

namespace cli {

/// Returns the best placement of a file; nullopt: it has none, or is of another number of ranks (diagnosed).
std::optional<planner::replay::Sharding> sharding_of(const std::string& path, size_t ranks, Streams& streams,
                                                     Session& session);

}  // namespace cli
