// What nccl-tests and rccl-tests print, as a table.
#pragma once

#include "dsl/csv.h"

namespace operator_models {

/// One row for each time of each measurement line, with the columns op, ranks, nodes, gpus_per_node, size_bytes, type,
/// in_place (0 or 1), time_us. Every span is the place in the log.
///
/// Accepted: any number of tests in one log ("# Collective test starting: X"), both spellings of the columns, N/A for
/// unchecked results, launcher prefixes ("[1,0]<stdout>:", "0: "), and messages of NCCL in between.
/// Ranks and nodes come from the lines of the devices. If those were stripped, ranks come from bus over algorithm
/// bandwidth, and the test and the layout from the file's name ("all_gather", "N2_G8", "2nodes"). gpus_per_node and
/// nodes stay empty if nothing gives them.
/// Diagnosed: no measurement line, an unknown test, a text in a number, bandwidths that contradict size and time.
/// Warned of: a test without its closing line, a measurement line cut short, results that were wrong.
dsl::CsvTable read_nccl_log(const dsl::Source& source, dsl::Diagnostics& diagnostics);

}  // namespace operator_models
