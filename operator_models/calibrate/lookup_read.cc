#include "operator_models/calibrate/lookup_read.h"

#include <fmt/format.h>

#include <cmath>

#include "operator_models/calibrate/columns.h"

namespace operator_models {
namespace {

constexpr double kMostLookups = 1e15;  // whole numbers of a double end a little above

/// Distinct rows of `rows` in so many even draws.
double even_draws(double rows, double lookups) {
  return rows > 1 ? -rows * std::expm1(lookups * std::log1p(-1 / rows)) : 1;
}

void read_lookup(const DataFile& file, const Columns& columns, size_t row, SampleSet& set) {
  const auto rows = columns.count(row, "table_rows"), dim = columns.count(row, "dim"),
             samples = columns.count(row, "samples"), pooling = columns.count(row, "pooling");
  const auto backward = columns.flag(row, "backward");
  const auto precision = columns.precision(row, Precision::fp32);
  const auto seconds = columns.seconds(row, "time_us");
  if (!rows || !dim || !samples || !pooling || !backward || !precision || !seconds) return;
  if (real(*samples) * real(*pooling) > kMostLookups) {
    columns.wrong(row, "pooling", fmt::format("more than {:g} lookups", kMostLookups));
    return;
  }
  Lookup op{.rows = *samples * *pooling,
            .width = *dim,
            .bytes_per_element = *precision == Precision::fp32 || *precision == Precision::tf32 ? 4.0 : 2.0,
            .backward = *backward,
            .bags = real(*samples)};
  op.distinct = even_draws(real(*rows), real(op.rows));
  if (columns.has("distinct")) {
    const auto distinct = columns.count(row, "distinct");
    if (!distinct) return;
    op.distinct = real(*distinct);
    if (*distinct > op.rows || *distinct > *rows) {
      columns.wrong(row, "distinct", fmt::format("{} distinct rows of {} in {} lookups", *distinct, *rows, op.rows));
      return;
    }
  }
  set.samples.push_back(
      {op,
       *seconds,
       {std::to_string(*rows), std::to_string(*dim), std::to_string(*samples), std::to_string(*pooling)},
       file.counted[row] != 0,
       columns.place(row, "time_us")});
}

}  // namespace

void read_lookups(const DataFile& file, const Task&, const Machine&, SampleSet& set, dsl::Diagnostics& diagnostics) {
  const Columns columns(file.table, diagnostics);
  if (!columns.has_all({"table_rows", "dim", "samples", "pooling", "backward", "time_us"}))
    return columns.unknown_layout("table_rows,dim,samples,pooling,backward,time_us");
  set.dimensions = {"table_rows", "dim", "samples", "pooling"};
  for (size_t row : file.rows) read_lookup(file, columns, row, set);
}

}  // namespace operator_models
