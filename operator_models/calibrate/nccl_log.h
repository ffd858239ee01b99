// What nccl-tests and rccl-tests print, as a table.
#pragma once

#include "dsl/csv.h"

namespace operator_models {

/// One row for each time of each measurement line, with the columns op, ranks, nodes, gpus_per_node, size_bytes, type,
/// in_place (0 or 1), time_us; every span is the place in the log.
///
/// Read: any number of tests in one log ("# Collective test starting: X"), both spellings of the columns, N/A for
/// what was not checked, launcher prefixes ("[1,0]<stdout>:", "0: "), messages of NCCL in between. Ranks and nodes come
/// from the lines of the devices; where they were stripped, the ranks from bus over algorithm bandwidth, the test and
/// the layout from the file's name ("all_gather", "N2_G8", "2nodes"); gpus_per_node and nodes stay empty where nothing
/// says them.
/// Diagnosed: no measurement line, a test nobody knows, a text in a number, bandwidths that contradict size and time.
/// Warned of: a test without its closing line, a measurement line cut short, results that were wrong.
dsl::CsvTable read_nccl_log(const dsl::Source& source, dsl::Diagnostics& diagnostics);

}  // namespace operator_models
