#include <fmt/format.h>

#include <cmath>

#include "operator_models/calibrate/readers.h"

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

}  // namespace

void read_lookups(const MeasuredTable& table) {
  const TableLayout* layout = layout_of(table, kLookupTables, "table_rows,dim,samples,pooling,backward,time_us");
  if (!layout) return;
  table.set.dimensions = {"table_rows", "dim", "samples", "pooling"};
  for (size_t row : table.file.rows) layout->read(table, row);
}

}  // namespace operator_models
