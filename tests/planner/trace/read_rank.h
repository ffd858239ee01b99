// A file that has the events of one rank.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "planner/trace/readers.h"

namespace planner::trace {

/// nullopt: diagnosed.
inline std::optional<RankTrace> read_rank(const TraceInput& input, bool skip_broken, dsl::Diagnostics& diagnostics) {
  Read read = read_any(input, skip_broken, diagnostics);
  if (read.execution)
    diagnostics.error({}, fmt::format("cannot use '{}': it is an execution trace, without events", input.name));
  if (read.ranks.size() > 1)
    diagnostics.error({}, fmt::format("cannot use '{}': it has {} ranks", input.name, read.ranks.size()));
  return read.ranks.size() == 1 ? std::optional(std::move(read.ranks.front())) : std::nullopt;
}

}  // namespace planner::trace
