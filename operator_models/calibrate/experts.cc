#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/readers.h"
#include "operator_models/calibrate/row_fit.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

constexpr double kMostCopies = 1e15;  // whole numbers of a double end a little above

/// A row: a layer, how many ranks share it, and tokens of all of them.
struct ExpertRow {
  int64_t hidden = 0, inner = 0, top_k = 0, experts = 0, tp = 1, ep = 1, tokens = 0;
  bool gated = true;
};

std::optional<ExpertRow> layer_of(RowCells cells) {
  const ExpertRow l{.hidden = cells.count("hidden_size"),
                    .inner = cells.count("inter_size"),
                    .top_k = cells.count("topk"),
                    .experts = cells.count("num_experts"),
                    .tp = cells.count("tp"),
                    .ep = cells.count("ep"),
                    .tokens = cells.count("num_tokens"),
                    .gated = cells.flag("gated")};
  if (!cells.whole()) return std::nullopt;
  if (l.inner % l.tp != 0) cells.wrong("tp", fmt::format("does not divide inter_size {}", l.inner));
  else if (l.experts % l.ep != 0) cells.wrong("ep", fmt::format("does not divide num_experts {}", l.experts));
  else if (l.top_k > l.experts) cells.wrong("topk", fmt::format("is above num_experts {}", l.experts));
  else if (real(l.tokens) * real(l.top_k) > kMostCopies)
    cells.wrong("num_tokens", fmt::format("more than {:g} copies of tokens", kMostCopies));
  return cells.whole() ? std::optional(l) : std::nullopt;
}

/// The first GEMM of one rank, of copies dealt out evenly: fewer copies than experts leave some without any.
Gemm first_gemm(const ExpertRow& l, Precision precision) {
  const double copies = real(l.tokens) * real(l.top_k) / real(l.ep);
  const int64_t all = std::max<int64_t>(1, static_cast<int64_t>(copies)), held = l.experts / l.ep;
  const int64_t used = std::min(held, all), ffn = l.inner / l.tp;
  return {.batch = used,
          .m = (all + used - 1) / used,
          .n = l.gated ? 2 * ffn : ffn,
          .k = l.hidden,
          .precision = precision,
          .a_bytes = operand_bytes(precision),
          .b_bytes = operand_bytes(precision),
          .grouped = true,
          .layer = {.ffn = ffn, .tokens = l.tokens, .top_k = l.top_k}};
}

void read_layer_time(const MeasuredTable& table, size_t row, const std::string& time) {
  RowCells cells = table.cells(row);
  const double uneven = cells.has("imbalance") ? cells.amount("imbalance") : 0;
  const Precision precision = cells.precision(table.task.precision);
  const auto layer = layer_of(table.cells(row));
  const double seconds = cells.seconds(time);
  if (!layer || !cells.whole()) return;
  if (uneven > 0 || precision != table.task.precision) return table.pass_over();
  const Gemm op = first_gemm(*layer, precision);
  const double flops = 2.0 * real(op.batch) * real(op.m - 1) * real(op.k) * real(op.n + op.layer.ffn);
  if (table.above_peak(row, time, flops, seconds, precision)) return;
  table.add(row, time, op, seconds,
            {fmt::format("{}x{}x{}x{}", layer->hidden, layer->inner, layer->top_k, layer->experts),
             std::to_string(layer->tp), std::to_string(layer->ep), std::to_string(layer->tokens)});
}

constexpr double kUsual = 0.05;  // logs beyond count by their size, not its square

/// The root of 2 s^2 (sqrt(1 + (x/s)^2) - 1): as x where it is small, its square as |x| where it is large.
double tempered(double x) {
  const double over = std::hypot(1, x / kUsual) - 1;
  return std::copysign(kUsual * std::sqrt(2 * over), x);
}

/// Where a fit begins, whatever the catalogue says, so that it ends at one place.
std::vector<FitNumber> numbers_of(GroupedCalibration& row) {
  return {{&row.efficiency, {.start = 0.7, .least = 0.01, .most = 1}},
          {&row.k_overhead, {.start = 1000, .least = 1, .most = 9000}},
          {&row.memory_efficiency, {.start = 0.85, .least = 0.1, .most = 1.3}},
          {&row.ramp.value, {.start = 4e-6, .least = 1e-8, .most = 1e-4}},
          {&row.layer_base.value, {.start = 8e-6, .least = 1e-8, .most = 1e-3}},
          {&row.layer_sort.value, {.start = 5e-6, .least = 1e-8, .most = 1e-3}},
          {&row.layer_copy.value, {.start = 1e-10, .least = 1e-13, .most = 1e-8}},
          {&row.layer_row.value, {.start = 1e-10, .least = 1e-13, .most = 1e-8}},
          {&row.layer_efficiency, {.start = 0.4, .least = 0.05, .most = 3}}};
}

}  // namespace

void read_experts(const MeasuredTable& table) {
  const TableColumns& columns = table.columns;
  const auto time = columns.time_column({"latency", "time"});
  if (!time ||
      !columns.has_all({"hidden_size", "inter_size", "topk", "num_experts", "gated", "tp", "ep", "num_tokens"}))
    return columns.unknown_layout(
        "hidden_size,inter_size,topk,num_experts,gated,tp,ep,num_tokens and a time such as "
        "latency_us");
  table.set.dimensions = {"layer", "tp", "ep", "tokens"};
  table.set.only_grouped = 3;
  for (size_t row : table.file.rows) read_layer_time(table, row, *time);
}

Fitted fit_experts(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, set.samples.empty()};
  if (fitted.empty) return fitted;
  GroupedCalibration& row = fitted.calibration.grouped[name(std::get<Gemm>(set.samples[0].op).precision)];
  fit_in_place(numbers_of(row), [&] {
    std::vector<double> logs = residuals_of(set, machine, fitted.calibration);
    for (double& x : logs) x = tempered(x);
    return logs;
  });
  const std::vector<double> logs = residuals_of(set, machine, fitted.calibration);
  // From a normal error with this mean size: missed kernels do not add error to the others.
  row.relative_error = 1.2533 * std::log1p(errors_of(logs).geomean.value_or(0));
  row.provenance = Provenance::interpolated;
  warn_outliers(set, logs, fitted);
  return fitted;
}

}  // namespace operator_models
