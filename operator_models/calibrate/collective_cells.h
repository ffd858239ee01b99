// Samples of collectives by the row of the calibration that prices them.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "operator_models/calibrate/measured_file.h"
#include "operator_models/models.h"

namespace operator_models {

/// The samples of one collective on one tier.
struct CollectiveCell {
  size_t tier = 0;  // the outermost one crossed
  CollectivePart part = CollectivePart::all_reduce;
  bool outer = false;                                    // leaves the innermost domain
  std::map<int64_t, std::vector<const Sample*>> groups;  // by ranks; a message's are 2
  std::string row;                                       // of the calibration: "nvlink-all-gather"
};

/// The cell of a sample, without groups. An all-reduce that the switch adds belongs to the switch's row.
CollectiveCell cell_of(const Sample& sample, const Device& device);
std::vector<CollectiveCell> cells_of(const SampleSet& set, const Device& device);
int64_t ranks_of(const Operator& op);
double bytes_of(const Operator& op);

/// The row that prices a cell so far, made the cell's own.
CollectiveCalibration& own_row(Calibration& calibration, const CollectiveCell& cell, const Machine& machine);

/// ln(predicted / measured) of a cell's samples, counted or not; of hundreds of sizes, some hundred of each group.
std::vector<double> cell_ratios(const CollectiveCell& cell, const Device& device, const ModelChoice& choice);

/// The catalogue's calibration of a tier whose switch adds has a separate row for that.
Calibration with_switch_row(const Machine& machine);

/// Samples inside the ranks that a cell of the fit has, or on an outer tier that it has.
std::function<bool(const Sample&)> covered_by(const SampleSet& set, const Machine& machine);

/// Samples far outside the fit's residuals, listed one by one.
std::vector<std::string> outliers(const SampleSet& set, const Device& device, const ModelChoice& choice);

bool adds_integers(const Operator& op);
/// The factor by which adding integers raises the part of the time that grows with the message. Computed by least
/// squares of the logarithms of samples of both kinds at the same sizes and ranks; nullopt if no size has both.
std::optional<double> integer_factor(const CollectiveCell& cell);

/// A row's table or curves from a cell; the row holds its alpha-beta numbers already.
void fit_table(const CollectiveCell& cell, Calibration& calibration, const Machine& machine);
void fit_regions(const CollectiveCell& cell, Calibration& calibration, const Machine& machine);

}  // namespace operator_models
