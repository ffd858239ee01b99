// What `calibrate` found, as reports; keys and order: docs/output.md.
#pragma once

#include <string>
#include <vector>

#include "cli/report/report.h"
#include "operator_models/calibrate/holdout.h"

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

}  // namespace cli
