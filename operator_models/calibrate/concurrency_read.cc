#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "operator_models/calibrate/readers.h"
#include "operator_models/concurrent_gemms.h"
#include "operator_models/models.h"
#include "operator_models/predictor.h"

namespace operator_models {
namespace {

constexpr int64_t kMostAtOnce = 1024;

/// How the operands lie in memory, in the order of GemmPass; behind them both gradients of a layer.
constexpr std::array kLayouts{"TN", "NN", "NT", "NN+NT"};
constexpr size_t kBothGradients = 3;

size_t layout_of(RowCells& cells) {
  const std::string& text = cells.text("layout");
  if (text.empty()) return 0;
  const auto at = std::ranges::find(kLayouts, text);
  if (at == kLayouts.end())
    cells.wrong("layout", fmt::format("expected one of {}, got '{}'", fmt::join(kLayouts, ", "), text));
  return static_cast<size_t>(at - kLayouts.begin());
}

/// One GEMM of the shape of a row; nullopt: diagnosed.
std::optional<ConcurrentGemms> read_shape(RowCells cells, Precision otherwise) {
  Gemm gemm{.m = cells.count("m"), .n = cells.count("n"), .k = cells.count("k")};
  if (cells.has("batch")) gemm.batch = cells.count("batch");
  const size_t layout = layout_of(cells);
  gemm.precision = cells.precision(otherwise);
  if (!cells.whole()) return std::nullopt;
  const bool both = layout == kBothGradients;
  gemm.a_bytes = gemm.b_bytes = operand_bytes(gemm.precision);
  gemm.c_bytes = std::max(2.0, gemm.a_bytes);
  gemm.pass = both ? GemmPass::dgrad : static_cast<GemmPass>(layout);
  return ConcurrentGemms{.gemm = gemm, .both_gradients = both};
}

/// A gain is over each GEMM alone: without it a time of several says nothing.
class TimesAlone {
 public:
  TimesAlone(std::span<Sample> samples, dsl::Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    for (const Sample& sample : samples)
      if (const auto& op = std::get<ConcurrentGemms>(sample.op); op.at_once == 1)
        seconds_[shape_of(op.gemm)] = sample.seconds;
  }
  void give(Sample& sample) {
    auto& op = std::get<ConcurrentGemms>(sample.op);
    if (op.at_once == 1) return;
    const double first = of(op.gemm, op.at_once, sample.place);
    op.alone_seconds = op.both_gradients ? 0.5 * (first + of(wgrad_beside(op.gemm), op.at_once, sample.place)) : first;
  }

 private:
  double of(const Gemm& gemm, int64_t at_once, const dsl::Span& place) {
    const auto [at, lacks] = seconds_.try_emplace(shape_of(gemm), 0);  // reported once
    if (lacks)
      diagnostics_.error(place,
                         fmt::format("{} at once, but no row of {} x {} x {} alone", at_once, gemm.m, gemm.n, gemm.k),
                         "measure each shape with at_once 1 too: gains are over it");
    return at->second;
  }

  std::map<GemmShape, double> seconds_;
  dsl::Diagnostics& diagnostics_;
};

/// A table of times, or of shapes alone.
class ConcurrencyReader {
 public:
  explicit ConcurrencyReader(const MeasuredTable& table)
      : table_(table),
        device_(device_of(table.machine, table.machine.calibration)),
        time_(table.columns.time_column({"time", "latency"})) {}

  bool knows_columns() const {
    return table_.columns.has_all({"m", "n", "k"}) && table_.columns.has("at_once") == time_.has_value();
  }
  void read() {
    table_.set.modelled = !time_;
    for (const size_t row : table_.file.rows)
      if (const auto gemms = read_shape(table_.cells(row), table_.task.precision))
        time_ ? add_measured(row, *gemms) : add_modelled(row, *gemms);
  }

 private:
  void add_measured(size_t row, ConcurrentGemms op) {
    RowCells cells = table_.cells(row);
    op.at_once = cells.count("at_once");
    const double seconds = cells.seconds(*time_);
    if (!cells.whole()) return;
    if (op.at_once > kMostAtOnce) cells.wrong("at_once", fmt::format("more than {}", kMostAtOnce));
    else if (op.both_gradients && op.at_once % 2 != 0)
      cells.wrong("at_once", fmt::format("{} GEMMs of pairs: expected an even number", op.at_once));
    else add(row, op, seconds, *time_);
  }
  /// A shape alone: the local model says what each number of it takes.
  void add_modelled(size_t row, ConcurrentGemms op) {
    op.back_to_back = true;  // as section 7.4.3 runs those that a predictor learns from
    for (const int64_t degree : kDegrees) {
      op.at_once = degree;
      if (op.both_gradients && degree == 1) continue;
      add(row, op, cost(op, device_, {{"concurrent-gemm", "go"}}).seconds.value, "m");
    }
  }
  void add(size_t row, const ConcurrentGemms& op, double seconds, const std::string& column) {
    const Gemm& g = op.gemm;
    table_.add(row, column, op, seconds,
               {std::to_string(g.m), std::to_string(g.n), std::to_string(g.k), std::to_string(op.at_once)});
  }

  const MeasuredTable& table_;
  const Device device_;
  const std::optional<std::string> time_;
};

}  // namespace

void read_concurrency(const MeasuredTable& table) {
  ConcurrencyReader reader(table);
  if (!reader.knows_columns()) return table.columns.unknown_layout("m,n,k,at_once,time_us or m,n,k");
  SampleSet& set = table.set;
  set.dimensions = {"m", "n", "k", "at_once"};
  const size_t first = set.samples.size();
  reader.read();
  if (set.modelled) return;
  const std::span<Sample> read = std::span(set.samples).subspan(first);
  TimesAlone alone(read, table.diagnostics);
  for (Sample& sample : read) alone.give(sample);
}

}  // namespace operator_models
