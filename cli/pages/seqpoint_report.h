// trainplan.seqpoint/1.
#pragma once

#include "cli/report/report.h"
#include "planner/studies/seqpoints/project.h"

namespace cli {

/// Rows are the SeqPoints.
///
///     gnmt on vega-fe-16gb: 453 iterations, 24 lengths, 6 SeqPoints of 6 bins
///     ...
///     SeqPoints | Held against | On other machines
Report seqpoint_report(const planner::seqpoint::Projection& projection);

}  // namespace cli
