#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/predictor_fit.h"
#include "operator_models/calibrate/readers.h"
#include "operator_models/calibrate/row_fit.h"
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

constexpr size_t kLeastShapes = 50;  // for 80 weights
constexpr int kRounds = 2;           // of a fit, each with the kernels of the one before

/// Measurements, the machine that they are of, and the model of what a library's kernels do.
struct ConcurrencyFit {
  const SampleSet& set;
  const Machine& machine;
  Concurrency policy;
  ModelChoice model() const { return {{"concurrent-gemm", kConcurrencyNames[static_cast<size_t>(policy)]}}; }
};

/// Several at once, with the kernels that they have while numbers are fitted: where a library would take another one
/// the times have a step, at which a fit would stick.
struct MeasuredGroup {
  double measured = 0, alone = 0, launch = 0;
  std::vector<Gemm> gemms;
  std::vector<GemmKernel> kernels_alone, kernels;

  double log_ratio(const Device& device) const {
    const SharedDevice shared(device);
    double one_by_one = 0;
    for (size_t i = 0; i < gemms.size(); ++i)
      one_by_one += shared.seconds(std::span(gemms).subspan(i, 1), std::span(kernels_alone).subspan(i, 1));
    const Concurrent run{.gain = one_by_one / shared.seconds(gemms, kernels)};
    const auto all = real(gemms.size());
    return std::log(seconds_together(device.calibration->concurrency, run, all, alone, launch) / measured);
  }
};

std::vector<MeasuredGroup> with_kernels(const ConcurrencyFit& task, const Calibration& calibration) {
  const Device device = device_of(task.machine, calibration);
  std::vector<MeasuredGroup> all;
  for (const Sample& sample : task.set.samples) {
    const auto& op = std::get<ConcurrentGemms>(sample.op);
    if (op.at_once == 1) continue;
    MeasuredGroup one{.measured = sample.seconds, .gemms = gemms_of(op)};
    const Cost alone = cost(ConcurrentGemms{.gemm = op.gemm}, device, task.model());
    one.alone = op.alone_seconds > 0 ? op.alone_seconds : alone.seconds.value;
    one.launch = alone.launch.value;
    one.kernels_alone = run_concurrently(one.gemms, Concurrency::sequential, device).kernels;
    one.kernels = run_concurrently(one.gemms, task.policy, device).kernels;
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<FitNumber> numbers_of(ConcurrencyCalibration& row) {
  const double burst = row.burst.value > 0 ? row.burst.value : 1e-3;
  std::vector<FitNumber> all{
      {&row.thrash, {.start = std::clamp(row.thrash, 0.01, 0.9), .least = 1e-4, .most = 1}},
      {&row.ramp.value, {.start = std::clamp(row.ramp.value, 1e-6, 2e-5), .least = 0, .most = 2e-5}},
      {&row.burst.value, {.start = burst, .least = 1e-4, .most = 1}},
      {&row.sustained, {.start = std::clamp(row.sustained, 0.5, 0.95), .least = 0.3, .most = 1}}};
  for (size_t i = 0; i + 1 < row.hide.size(); ++i)
    all.push_back({&row.hide[i], {.start = row.hide[i], .least = 0.05, .most = 1}});
  return all;
}

/// What happens at once is in how much longer several take than one: each row over that of its shape alone.
void fit_numbers(const ConcurrencyFit& task, Calibration& calibration) {
  ConcurrencyCalibration& row = calibration.concurrency;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<MeasuredGroup> several = with_kernels(task, calibration);
    if (several.empty()) return;
    row.relative_error = fit_in_place(numbers_of(row), [&] {
                           const Device device = device_of(task.machine, calibration);
                           std::vector<double> logs;
                           for (const MeasuredGroup& one : several) logs.push_back(one.log_ratio(device));
                           return logs;
                         }).residual;
  }
  row.provenance = Provenance::interpolated;
}

using ByNumber = std::map<int64_t, const Sample*>;

bool has_every_number(const ByNumber& samples) {
  return std::ranges::all_of(kDegrees, [&](int64_t degree) { return samples.contains(degree); });
}

/// Shapes with every number of kDegrees, each with its rates at the clock of a burst.
std::vector<LabelledGemm> labelled(const SampleSet& set, const Device& device) {
  std::map<GemmShape, ByNumber> shapes;
  for (const Sample& sample : set.samples) {
    const auto& op = std::get<ConcurrentGemms>(sample.op);
    if (!op.both_gradients) shapes[shape_of(op.gemm)][op.at_once] = &sample;
  }
  std::vector<LabelledGemm> out;
  for (const auto& [shape, by_number] : shapes) {
    if (!has_every_number(by_number)) continue;
    LabelledGemm one{.features = features_of(std::get<ConcurrentGemms>(by_number.at(1)->op).gemm, device)};
    for (size_t i = 0; i < kDegrees.size(); ++i) {
      const double together = at_first_clock(device.calibration->concurrency, by_number.at(kDegrees[i])->seconds);
      one.rates[i] = real(kDegrees[i]) / together;
    }
    out.push_back(std::move(one));
  }
  return out;
}

Fitted fitted_by(const ConcurrencyFit& task) {
  const SampleSet& set = task.set;
  Fitted fitted{task.machine.calibration, {}, true};
  ConcurrencyCalibration& row = fitted.calibration.concurrency;
  if (!set.modelled) fit_numbers(task, fitted.calibration);
  const std::vector<LabelledGemm> gemms = labelled(set, device_of(task.machine, fitted.calibration));
  if (gemms.size() >= kLeastShapes) {
    row.predictor = train_predictor(gemms);
    row.predictor.device = task.machine.gpu.name;
    row.predictor.provenance = set.modelled ? Provenance::assumed : Provenance::interpolated;
  } else {
    fitted.warnings.push_back(
        fmt::format("{} shapes come with 1, 2, 4, 8 and 16 at once, of {} that a predictor wants: "
                    "none was trained",
                    gemms.size(), kLeastShapes));
  }
  fitted.empty = set.modelled && gemms.size() < kLeastShapes;
  if (!set.modelled) warn_outliers(set, residuals_of(set, task.machine, fitted.calibration, task.model()), fitted);
  return fitted;
}

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

Fitted fit_concurrency(const SampleSet& set, const Machine& machine) {
  return fitted_by({set, machine, Concurrency::greedy});
}
Fitted fit_tuned_concurrency(const SampleSet& set, const Machine& machine) {
  return fitted_by({set, machine, Concurrency::go});
}

}  // namespace operator_models
