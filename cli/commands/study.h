// trainplan.study/1: figures of a paper beside ours.
#pragma once

#include <string>
#include <vector>

#include "cli/args/parse.h"
#include "cli/report/report.h"
#include "planner/studies/published/study.h"

namespace cli {

/// Whether one of the files is a scenario (.yaml, .yml).
bool has_scenario(const std::vector<std::string>& files);

/// `validate` of scenarios with a `study`: kAboveLimit if a required figure is missed.
int run_studies(const Options& options, Streams& streams);

/// Keys and order: docs/output.md.
Report study_report(const std::vector<planner::StudyRow>& rows);

}  // namespace cli
