#include "operator_models/calibrate/measured_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "operator_models/models.h"

namespace operator_models {

void MeasuredTable::add(size_t row, std::string_view column, Operator op, double seconds,
                        std::vector<std::string> values) const {
  set.samples.push_back(
      {std::move(op), seconds, std::move(values), file.counted[row] != 0, columns.place(row, column)});
}

bool MeasuredTable::above_peak(size_t row, std::string_view column, double flops, double seconds,
                               Precision precision) const {
  const double peak = matrix_peak(machine.gpu, precision).peak.value;
  if (flops / seconds <= peak) return false;
  diagnostics.error(columns.place(row, column),
                    fmt::format("{:.4g} TFLOP/s is above the {} peak of {}, {:.4g} TFLOP/s", flops / seconds / 1e12,
                                name(precision), machine.gpu.name, peak / 1e12),
                    "--precision and --gpu say what was measured where no column does");
  return true;
}

const TableLayout* layout_of(const MeasuredTable& table, std::span<const TableLayout> layouts,
                             const std::string& expected) {
  const auto known = std::ranges::find_if(layouts, [&](const auto& l) { return table.columns.has_all(l.columns); });
  if (known != layouts.end()) return &*known;
  table.columns.unknown_layout(expected);
  return nullptr;
}

}  // namespace operator_models
