// trainplan.calibrate/1 of `calibrate errors`, and what it fits as files of a catalogue folder.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/report/report.h"
#include "planner/studies/errors/error_scores.h"

namespace cli {

struct FittedErrors {
  std::vector<planner::ErrorRow> rows;
  planner::ErrorModel model;
  std::string files;  // of the tables
  int64_t runs = 0;   // that were read
  std::vector<std::string> warnings;
};

Report errors_report(const FittedErrors& errors);

/// "errors/nemo.yaml" and its text: the model, and a file for each software.
std::vector<std::pair<std::string, std::string>> errors_files(const FittedErrors& errors);

}  // namespace cli
