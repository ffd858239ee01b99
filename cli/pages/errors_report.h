// trainplan.calibrate/1 of `calibrate errors`, and the fitted values as files of a catalogue folder.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/report/report.h"
#include "planner/studies/errors/error_scores.h"
#include "planner/studies/errors/fit_peaks.h"

namespace cli {

struct FittedErrors {
  std::vector<planner::ErrorRow> rows;
  std::vector<planner::PeakRow> peaks;
  planner::ErrorModel model;
  planner::PeakSpreads spreads;                // of peaks
  std::map<std::string, std::string> parents;  // what each profile of software extends
  std::string files;                           // of the tables
  int64_t runs = 0;                            // that were read
  std::vector<std::string> warnings;
};

Report errors_report(const FittedErrors& errors);

/// The profiles that the profile extends, nearest first.
std::vector<std::string> lineage(const FittedErrors& errors, const std::string& name);

/// "errors/nemo.yaml" and its text: the model, and a file for each software.
std::vector<std::pair<std::string, std::string>> errors_files(const FittedErrors& errors);

}  // namespace cli
