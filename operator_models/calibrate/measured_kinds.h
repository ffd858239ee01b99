// What `calibrate` can read and fit: one row per kind of data, one row per model that can be fitted to it.
//
// Adding a kind: a reader (readers.h), its fits (fits.h), and a row in measured_kinds.cc. Adding a model: a fit and a
// row.
#pragma once

#include <span>
#include <string_view>

#include "operator_models/calibrate/readers.h"

namespace operator_models {

struct FitRow {
  const char* kind;   // operator kind of the registry: "gemm"
  const char* model;  // and model: "table"
  const char* summary;
  int64_t parameters;  // fewest samples it can be fitted to
  Fitted (*fit)(const SampleSet& set, const Machine& machine);
};

/// A kind of measurements: how they are read, and what can be fitted to them.
struct MeasuredKind {
  const char* name;  // "gemm", "nccl-tests" ...
  const char* summary;
  MeasuredReader read;
  std::span<const FitRow> fits;  // the first is the default
  /// Converts a text that is not CSV (a log) to the table that --where and --within select from; null: CSV.
  dsl::CsvTable (*table)(const dsl::Source& source, dsl::Diagnostics& diagnostics) = nullptr;
};

std::span<const MeasuredKind> calibration_kinds();
const MeasuredKind* find_calibration_kind(std::string_view name);

/// Fits. What lies outside the bounds of its field ends at the bound, with a warning.
Fitted fitted_to(const SampleSet& set, const Machine& machine, const FitRow& fit);

/// The model that a fit's samples are priced with: {"gemm": "table"}.
ModelChoice choice_of(const FitRow& fit);

}  // namespace operator_models
