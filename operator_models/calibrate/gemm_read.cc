#include "operator_models/calibrate/gemm_read.h"

#include <fmt/format.h>

#include "operator_models/calibrate/columns.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

/// More FLOP/s than the datasheet's dense peak: another precision, another GPU or another unit than was said.
bool above_peak(const Gemm& op, double seconds, const Machine& machine, dsl::Span place,
                dsl::Diagnostics& diagnostics) {
  const double flops = 2.0 * static_cast<double>(op.batch) * static_cast<double>(op.m) * static_cast<double>(op.n) *
                       static_cast<double>(op.k);
  const double peak = matrix_peak(machine.gpu, op.precision).peak.value;
  if (flops / seconds <= peak) return false;
  diagnostics.error(place,
                    fmt::format("{:.4g} TFLOP/s is above the {} peak of {}, {:.4g} TFLOP/s", flops / seconds / 1e12,
                                name(op.precision), machine.gpu.name, peak / 1e12),
                    "--precision and --gpu say what was measured where no column does");
  return true;
}

}  // namespace

void read_gemms(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                dsl::Diagnostics& diagnostics) {
  const Columns columns(file.table, diagnostics);
  const auto time = columns.time_column({"latency", "time", "seconds"});
  if (!columns.has_all({"m", "n", "k"}) || !time) return columns.unknown_layout("m,n,k and a time such as latency_us");
  if (set.dimensions.empty()) set.dimensions = {"m", "n", "k"};
  for (size_t row : file.rows) {
    const auto m = columns.count(row, "m"), n = columns.count(row, "n"), k = columns.count(row, "k");
    const auto seconds = columns.seconds(row, *time);
    if (!m || !n || !k || !seconds) continue;
    const Gemm op{.m = *m, .n = *n, .k = *k, .precision = task.precision};
    const dsl::Span place = columns.place(row, *time);
    if (above_peak(op, *seconds, machine, place, diagnostics)) continue;
    set.samples.push_back(
        {op, *seconds, {std::to_string(*m), std::to_string(*n), std::to_string(*k)}, file.counted[row] != 0, place});
  }
}

}  // namespace operator_models
