#include <fmt/format.h>

#include <cmath>

#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/readers.h"
#include "operator_models/calibrate/row_fit.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

constexpr double kMostLookups = 1e15;  // whole numbers of a double end a little above

/// Distinct rows of `rows` in `lookups` uniform draws.
double even_draws(double rows, double lookups) {
  return rows > 1 ? -rows * std::expm1(lookups * std::log1p(-1 / rows)) : 1;
}

void read_lookup(const MeasuredTable& table, size_t row) {
  RowCells cells = table.cells(row);
  const int64_t rows = cells.count("table_rows"), dim = cells.count("dim"), samples = cells.count("samples"),
                pooling = cells.count("pooling");
  const bool backward = cells.flag("backward");
  const Precision precision = cells.precision(Precision::fp32);
  const double seconds = cells.seconds("time_us");
  if (!cells.whole()) return;
  if (real(samples) * real(pooling) > kMostLookups)
    return cells.wrong("pooling", fmt::format("more than {:g} lookups", kMostLookups));
  Lookup op{.rows = samples * pooling,
            .width = dim,
            .bytes_per_element = wide_bytes(precision),
            .backward = backward,
            .bags = real(samples)};
  op.distinct = even_draws(real(rows), real(op.rows));
  if (cells.has("distinct")) {
    const int64_t distinct = cells.count("distinct");
    if (distinct > op.rows || distinct > rows)
      cells.wrong("distinct", fmt::format("{} distinct rows of {} in {} lookups", distinct, rows, op.rows));
    op.distinct = real(distinct);
  }
  if (!cells.whole()) return;
  table.add(row, "time_us", op, seconds,
            {std::to_string(rows), std::to_string(dim), std::to_string(samples), std::to_string(pooling)});
}

const TableLayout kLookupTables[] = {{{"table_rows", "dim", "samples", "pooling", "backward", "time_us"}, read_lookup}};

constexpr const char* kRow = "lookup-reuse";
const ModelChoice kReuse{{"lookup", "reuse"}};
constexpr size_t kLeastRows = 6;

/// One number, to the samples; whether there are enough of them.
bool fit_number(double& number, const SampleSet& set, const Machine& machine, const Calibration& calibration,
                double most) {
  if (set.samples.size() < kLeastRows) return false;
  fit_in_place({{&number, {.start = number, .least = 0.01, .most = most}}},
               [&] { return residuals_of(set, machine, calibration, kReuse); });
  return true;
}

}  // namespace

void read_lookups(const MeasuredTable& table) {
  const TableLayout* layout = layout_of(table, kLookupTables, "table_rows,dim,samples,pooling,backward,time_us");
  if (!layout) return;
  table.set.dimensions = {"table_rows", "dim", "samples", "pooling"};
  for (size_t row : table.file.rows) layout->read(table, row);
}

Fitted fit_lookup(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, true};
  const bool own = fitted.calibration.vector.contains(kRow);
  const VectorCalibration start = vector_row(fitted.calibration, own ? kRow : "lookup");
  VectorCalibration& row = fitted.calibration.vector.insert_or_assign(kRow, start).first->second;
  const bool forward = fit_number(row.efficiency, samples_of_pass<Lookup>(set, false), machine, fitted.calibration, 1);
  const bool backward = fit_number(row.backward, samples_of_pass<Lookup>(set, true), machine, fitted.calibration, 3);
  if (!forward || !backward)
    fitted.warnings.push_back(std::string("fewer than six rows ") + (forward ? "backward" : "forward") +
                              ": their figure stays as it was");
  fitted.empty = !forward && !backward;
  finish_row(row, set, residuals_of(set, machine, fitted.calibration, kReuse), fitted);
  return fitted;
}

}  // namespace operator_models
