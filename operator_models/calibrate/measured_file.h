// What readers of measurements take, and what fits return.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "operator_models/calibrate/columns.h"
#include "operator_models/calibrate/sample.h"

namespace operator_models {

/// Bytes of an element that kernels outside of matrix products keep: 32 bits, else 16.
inline double wide_bytes(Precision p) { return p == Precision::fp32 || p == Precision::tf32 ? 4 : 2; }

/// What the data does not say about itself, from the command line. A column of the data comes before it.
struct Task {
  Precision precision = Precision::bf16;
  std::string kernel;  // attention: row of the calibration
};

/// One input.
struct DataFile {
  const dsl::Source* source = nullptr;
  dsl::CsvTable table;
  std::vector<size_t> rows;   // of the table, as --where selects
  std::vector<char> counted;  // per row of the table: --within
};

/// One input as its reader sees it: cells by column, the request, and the places for samples and mistakes.
struct MeasuredTable {
  const DataFile& file;
  const Task& task;
  const Machine& machine;
  SampleSet& set;
  dsl::Diagnostics& diagnostics;
  const TableColumns columns{file.table, diagnostics};

  RowCells cells(size_t row) const { return {columns, row}; }
  std::string file_name() const { return file.source->name.substr(file.source->name.rfind('/') + 1); }

  /// Appends a sample. `column`: of its time; `values`: one for each dimension of the set.
  void add(size_t row, std::string_view column, Operator op, double seconds, std::vector<std::string> values) const;
  /// Counts a row that holds no operator of the kind.
  void pass_over() const { ++set.passed_over; }
  /// Returns whether a row has more FLOP/s than the datasheet's dense peak: its precision, GPU or unit differs from the
  /// stated one. Diagnosed at its time.
  bool above_peak(size_t row, std::string_view column, double flops, double seconds, Precision precision) const;
};

/// A layout that a reader knows: the columns that identify it, and the function that reads a row of it.
struct TableLayout {
  std::vector<std::string_view> columns;
  void (*read)(const MeasuredTable& table, size_t row);
};
/// The first layout whose columns the table has; null: none matches, which is diagnosed with what was `expected`.
const TableLayout* layout_of(const MeasuredTable& table, std::span<const TableLayout> layouts,
                             const std::string& expected);

/// The calibration with the fitted rows in place; nothing else is changed. No samples it could use: `empty`.
struct Fitted {
  Calibration calibration;
  std::vector<std::string> warnings;
  bool empty = false;
  /// Whether the fit determines what prices a sample, or the catalogue does; null: all of them.
  std::function<bool(const Sample&)> covers = {};
};

}  // namespace operator_models
