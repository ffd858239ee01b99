#include "operator_models/calibrate/concurrency_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <tuple>

#include "operator_models/calibrate/columns.h"
#include "operator_models/concurrent_gemms.h"
#include "operator_models/models.h"
#include "operator_models/predictor.h"

namespace operator_models {
namespace {

constexpr int64_t kMostAtOnce = 1024;

/// How the operands lie in memory, in the order of GemmPass; behind them both gradients of a layer.
constexpr std::array kLayouts{"TN", "NN", "NT", "NN+NT"};
constexpr size_t kBothGradients = 3;

std::optional<size_t> layout_of(const Columns& columns, size_t row) {
  const std::string& text = columns.text(row, "layout");
  if (text.empty()) return 0;
  const auto at = std::ranges::find(kLayouts, text);
  if (at != kLayouts.end()) return static_cast<size_t>(at - kLayouts.begin());
  columns.wrong(row, "layout", fmt::format("expected one of {}, got '{}'", fmt::join(kLayouts, ", "), text));
  return std::nullopt;
}

/// One GEMM of the shape of a row; nullopt: diagnosed.
std::optional<ConcurrentGemms> read_gemms(const Columns& columns, size_t row, Precision otherwise) {
  const auto m = columns.count(row, "m"), n = columns.count(row, "n"), k = columns.count(row, "k"),
             batch = columns.has("batch") ? columns.count(row, "batch") : std::optional<int64_t>(1);
  const auto layout = layout_of(columns, row);
  const auto precision = columns.precision(row, otherwise);
  if (!m || !n || !k || !batch || !layout || !precision) return std::nullopt;
  const bool both = *layout == kBothGradients;
  const double bytes = operand_bytes(*precision);
  const Gemm gemm{.batch = *batch,
                  .m = *m,
                  .n = *n,
                  .k = *k,
                  .precision = *precision,
                  .a_bytes = bytes,
                  .b_bytes = bytes,
                  .c_bytes = std::max(2.0, bytes),
                  .pass = both ? GemmPass::dgrad : static_cast<GemmPass>(*layout)};
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
    const auto [at, lacks] = seconds_.try_emplace(shape_of(gemm), 0);  // told once
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
class Reader {
 public:
  Reader(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set, dsl::Diagnostics& diagnostics)
      : columns_(file.table, diagnostics),
        file_(file),
        task_(task),
        device_(device_of(machine, machine.calibration)),
        set_(set),
        time_(columns_.time_column({"time", "latency"})) {}

  bool knows_columns() const {
    return columns_.has_all({"m", "n", "k"}) && columns_.has("at_once") == time_.has_value();
  }
  void tell_layouts() const { columns_.unknown_layout("m,n,k,at_once,time_us or m,n,k"); }
  void read() {
    set_.modelled = !time_;
    for (const size_t row : file_.rows)
      if (const auto gemms = read_gemms(columns_, row, task_.precision))
        time_ ? add_measured(row, *gemms) : add_modelled(row, *gemms);
  }

 private:
  void add_measured(size_t row, ConcurrentGemms op) {
    const auto at_once = columns_.count(row, "at_once");
    const auto seconds = columns_.seconds(row, *time_);
    if (!at_once || !seconds) return;
    op.at_once = *at_once;
    if (op.at_once > kMostAtOnce) columns_.wrong(row, "at_once", fmt::format("more than {}", kMostAtOnce));
    else if (op.both_gradients && op.at_once % 2 != 0)
      columns_.wrong(row, "at_once", fmt::format("{} GEMMs of pairs: expected an even number", op.at_once));
    else add(row, op, *seconds, *time_);
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
    set_.samples.push_back({op,
                            seconds,
                            {std::to_string(g.m), std::to_string(g.n), std::to_string(g.k), std::to_string(op.at_once)},
                            file_.counted[row] != 0,
                            columns_.place(row, column)});
  }

  const Columns columns_;
  const DataFile& file_;
  const Task& task_;
  const Device device_;
  SampleSet& set_;
  const std::optional<std::string> time_;
};

}  // namespace

void read_concurrency(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                      dsl::Diagnostics& diagnostics) {
  Reader reader(file, task, machine, set, diagnostics);
  if (!reader.knows_columns()) return reader.tell_layouts();
  set.dimensions = {"m", "n", "k", "at_once"};
  const size_t first = set.samples.size();
  reader.read();
  if (set.modelled) return;
  const std::span<Sample> read(set.samples.begin() + static_cast<std::ptrdiff_t>(first), set.samples.end());
  TimesAlone alone(read, diagnostics);
  for (Sample& sample : read) alone.give(sample);
}

}  // namespace operator_models
