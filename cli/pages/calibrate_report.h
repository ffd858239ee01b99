// What `calibrate` found, as reports; keys and order: docs/output.md.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/report/report.h"
#include "operator_models/calibrate/holdout.h"
#include "planner/studies/errors/error_scores.h"
#include "planner/studies/errors/fit_peaks.h"
#include "planner/studies/fit_steps/fit.h"

namespace cli {

/// A catalogue profile held against measurements.
struct ProfileScore {
  std::string profile, kind, model;
  int64_t skipped = 0;
  operator_models::Errors errors;
  std::vector<operator_models::GroupErrors> groups;
};

/// A fit with its accuracy. The pointers outlive it.
struct Calibrated {
  const operator_models::SampleSet* set = nullptr;
  const operator_models::Machine* machine = nullptr;
  const operator_models::FitRow* fit = nullptr;
  std::string files;  // names, for the provenance
  operator_models::Fitted fitted;
  operator_models::Errors errors;  // on the rows of the fit
  operator_models::Holdout holdout;
};

/// A piece of a catalogue file as JSON: numbers without a unit are numbers, quantities texts.
Data node_data(const dsl::Node& node);

/// The data files of the command without their folders, for the provenance. `inputs`: the kind, and the files.
std::string file_names(const std::vector<std::string>& inputs);
/// trainplan.score/1.
Report score_report(const ProfileScore& scored);
/// trainplan.calibrate/1.
Report calibrate_report(const Calibrated& calibrated);
/// The fragment as YAML, ready to be a catalogue file, under a comment line.
std::string fragment_text(const Calibrated& calibrated);

// ---- calibrate steps

/// The fit with its inputs; texts of the report.
struct FittedSteps {
  const planner::StepProblem* problem = nullptr;
  planner::StepsFit fit;
  std::string files;
  std::vector<std::string> warnings;
};

/// Keys: docs/output.md.
Report steps_report(const FittedSteps& steps);

/// A piece of YAML for each file that holds a fitted number, under a comment that names it.
std::string steps_fragments(const FittedSteps& steps);
/// The pieces as files of a catalogue folder, each on top of the entry of its name: {"software/nemo.yaml", text}.
std::vector<std::pair<std::string, std::string>> steps_files(const FittedSteps& steps);

// ---- calibrate errors

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
