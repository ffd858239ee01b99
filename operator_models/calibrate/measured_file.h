// What readers of measurements take, and what fits return.
#pragma once

#include <functional>
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

}  // namespace operator_models
