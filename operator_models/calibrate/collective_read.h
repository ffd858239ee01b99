// Tables of measured collectives.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// Layouts: docs/calibrating.md. Dimensions: op, layout ("10x8": ten nodes of eight), size_bytes, type where a column
/// tells it, and run where everything was measured as often.
void read_collectives(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                      dsl::Diagnostics& diagnostics);

/// The collective that a name holds, however it is written: "all_reduce_perf", "alltoall", "h100_all-gather.log" ->
/// "all-reduce", "all-to-all", "all-gather"; "send-recv" among them.
std::optional<std::string> collective_in(std::string_view name);
/// Returns the kind of the name that `collective_in` gives; none: "send-recv".
std::optional<CollectiveKind> collective_kind(std::string_view name);

}  // namespace operator_models
