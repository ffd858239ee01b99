// Fits of the models of collectives: one row of the calibration for each tier and collective of the data.
//
// A fit begins at fixed points, not at the catalogue's row of the collective: what is left out of the data is not
// hidden in where the fit begins. Rows of tiers and collectives that the data does not hold stay the catalogue's.
#pragma once

#include "operator_models/calibrate/collective_cells.h"

namespace operator_models {

/// Fits efficiency, latencies and half size (collective.cc).
Fitted fit_alpha_beta(const SampleSet& set, const Machine& machine);
/// Fits those, and for each collective inside a domain its times at every power of two of bytes (collective_table.cc).
Fitted fit_collective_table(const SampleSet& set, const Machine& machine);
/// Fits those, and for each collective and number of ranks inside a domain eight numbers (collective_region.cc).
Fitted fit_three_region(const SampleSet& set, const Machine& machine);

/// A row's table or curves from a cell; the row holds its alpha-beta numbers already.
void fit_table(const Cell& cell, Calibration& calibration, const Machine& machine);
void fit_regions(const Cell& cell, Calibration& calibration, const Machine& machine);

}  // namespace operator_models
