// Traces as the data of `trainplan calibrate`: the table of what they measured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/input/session.h"
#include "operator_models/calibrate/sample.h"

namespace cli {

/// Returns whether a file is a trace by its first bytes (planner/trace/readers.h).
bool is_trace(const std::string& path);

/// Returns the traces of a run, a file a rank, as the table of a kind of measurements; null: they cannot be read, or
/// have no rows of the kind (diagnosed).
const dsl::Source* table_of_traces(const std::vector<std::string>& paths, std::string_view kind,
                                   const operator_models::Machine& machine, Streams& streams, Session& session);

}  // namespace cli
