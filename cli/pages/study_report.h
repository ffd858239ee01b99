// trainplan.study/1: figures of a paper beside ours.
#pragma once

#include <vector>

#include "cli/report/report.h"
#include "planner/studies/published/study.h"

namespace cli {

/// Keys and order: docs/output.md.
Report study_report(const std::vector<planner::StudyRow>& rows);

}  // namespace cli
