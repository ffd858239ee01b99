// Measured and planned peaks of memory, and the spreads of maximum likelihood.
#pragma once

#include <string>
#include <vector>

#include "planner/scenario/error_model.h"

namespace planner {

struct PeakRow {
  std::string group, software, lineage;  // software of one lineage extends the same profile
  hw_profiles::Platform platform = hw_profiles::Platform::cuda;
  bool stands_in = false;  // its software, for programs without a profile
  bool cached = false;     // includes memory cached by an allocator: reserved or seen on the device
  double ratio = 0;        // ln(measured / planned)
};

/// Spreads of ln(measured / planned): between families of the catalogue (`heirs`: between software of one lineage),
/// between groups, and between peaks of a group.
struct PeakSpreads {
  double family = 0.1, heirs = 0.05, group = 0.05, run = 0.05;
};

/// Returns the spreads that make the rows likeliest (pairs of software and platform are families). REQUIRES: rows.
PeakSpreads fit_peaks(const std::vector<PeakRow>& rows);
/// Returns the families of one software; `of_relatives`: they inform another family of their lineage.
std::vector<PeakFamily> peak_families(const std::vector<const PeakRow*>& rows, const PeakSpreads& spreads,
                                      bool of_relatives = false);

/// Scores of memory plans whose family had not been measured. Fractions.
struct PeakScore {
  int64_t rows = 0, families = 0;
  double mean = 0, bias = 0, inside_80 = 0;
};
/// REQUIRES: rows.
PeakScore peak_score(const std::vector<PeakRow>& rows, const PeakSpreads& spreads);

}  // namespace planner
