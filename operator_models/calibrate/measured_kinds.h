// What `calibrate` can read and fit: one row per kind of data, one row per model that can be fitted to it.
//
// Adding a kind: a reader, its fits, and a row in kinds.cc. Adding a model: a fit and a row beside its reader.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dsl/csv.h"
#include "operator_models/calibrate/sample.h"

namespace operator_models {

/// What the data does not say about itself, from the command line. A column of the data comes before it.
struct Task {
  Precision precision = Precision::bf16;
  std::string kernel;  // attention: row of the calibration
};

/// One input. `table` is empty where the kind reads the text itself (logs).
struct DataFile {
  const dsl::Source* source = nullptr;
  dsl::CsvTable table;
  std::vector<size_t> rows;   // of the table, as --where selects
  std::vector<char> counted;  // per row of the table: --within
};

/// The calibration with the fitted rows in place; nothing else is changed. No samples it could use: `empty`.
struct Fitted {
  Calibration calibration;
  std::vector<std::string> warnings;
  bool empty = false;
  /// Whether the fit determines what prices a sample, or the catalogue does; null: all of them.
  std::function<bool(const Sample&)> covers = {};
};

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
  bool tables;         // reads CSV; false: the text itself
  bool needs_network;  // samples cross tiers: a cluster, not a GPU alone
  /// Appends to `set`. Diagnosed with places: no layout knows these columns, a text in a number, a unit that
  /// contradicts its header, a time of zero or less, more than the machine's peak.
  void (*read)(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
               dsl::Diagnostics& diagnostics);
  std::span<const FitRow> fits;  // the first is the default
  /// A text that is no CSV (a log) as the table that --where and --within select from; null: CSV.
  dsl::CsvTable (*table)(const dsl::Source& source, dsl::Diagnostics& diagnostics) = nullptr;
};

std::span<const MeasuredKind> calibration_kinds();
const MeasuredKind* find_calibration_kind(std::string_view name);

/// Fits. What lies outside the bounds of its field ends at the bound, with a warning.
Fitted fitted_to(const SampleSet& set, const Machine& machine, const FitRow& fit);

/// The model that a fit's samples are priced with: {"gemm": "table"}.
ModelChoice choice_of(const FitRow& fit);

}  // namespace operator_models
