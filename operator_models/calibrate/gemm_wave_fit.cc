// The numbers of `wave` from measured GEMMs: damped least squares on logarithms, from several starts, over a part of
// the samples that is spread over the whole table. Rows far off count by their distance, not by its square (Huber,
// 1964).
#include <algorithm>
#include <cmath>

#include "operator_models/calibrate/gemm_fit.h"
#include "operator_models/calibrate/row_fit.h"
#include "operator_models/gemm.h"

namespace operator_models {
namespace {

constexpr double kMostLaunch = 0.85;  // of the shortest row: even that kernel does something
constexpr size_t kMostSamples = 500;
constexpr double kFar = 0.1;  // residuals beyond count linearly
constexpr double kSmallFlops = 1e9, kSmallWeight = 0.4;
constexpr int kIterations = 15;

// The tiles that the names of cuBLAS, CUTLASS and Tensile kernels list, where the catalogue knows none.
const std::vector<int64_t> kTileM{256, 128, 128, 256, 64, 128, 64, 64}, kTileN{128, 256, 128, 64, 256, 64, 128, 64};
const std::vector<double> kTileEfficiency{1, 1, 0.9, 0.9, 0.8, 0.8, 0.7, 0.7};

double softened(double r) {
  const double size = std::abs(r);
  return size <= kFar ? r : std::copysign(std::sqrt(kFar * (2 * size - kFar)), r);
}

SampleSet spread(const SampleSet& set) {
  if (set.samples.size() <= kMostSamples) return set;
  SampleSet part{set.dimensions};
  const double step = real(set.samples.size()) / real(kMostSamples);
  for (size_t i = 0; i < kMostSamples; ++i) part.samples.push_back(set.samples[static_cast<size_t>(real(i) * step)]);
  return part;
}

bool has_pass(const SampleSet& set, GemmPass pass) {
  return std::any_of(set.samples.begin(), set.samples.end(),
                     [&](const Sample& s) { return std::get<Gemm>(s.op).pass == pass; });
}

class WaveProblem {
 public:
  WaveProblem(const SampleSet& set, const Machine& machine) : machine_(machine), part_(spread(set)) {
    fitted = {machine.calibration, {}, false};
    precision_ = std::get<Gemm>(set.samples[0].op).precision;
    row_ = &gemm_row_for(fitted.calibration, precision_);
    if (row_->tile_m.size() < 2) {
      row_->tile_m = kTileM;
      row_->tile_n = kTileN;
      row_->tile_efficiency = kTileEfficiency;
    }
    row_->table = {};
    row_->table_m = row_->table_n = row_->table_k = {};
    add(row_->compute_efficiency, 0.05, 1);
    add(row_->memory_efficiency, 0.05, 1.5);
    const auto area = [this](size_t i) { return row_->tile_m[i] * row_->tile_n[i]; };
    for (size_t i = 1; i < row_->tile_efficiency.size(); ++i)
      if (area(i) != area(0)) add(row_->tile_efficiency[i], 0.3, 1);  // as many results a tile, as good
    add(row_->k_overhead, 1, 2000);
    add(row_->tail, 0.01, 1);
    add(row_->overlap, 1, 20);
    add(row_->split.value, 1e-8, narrow() ? 1e-2 : 100e-6, narrow() ? 5e-3 : 0);
    if (has_pass(set, GemmPass::dgrad)) add(row_->dgrad, 0.5, 2);
    if (has_pass(set, GemmPass::wgrad)) add(row_->wgrad, 0.5, 2);
    const double least = std::min_element(part_.samples.begin(), part_.samples.end(), [](auto& x, auto& y) {
                           return x.seconds < y.seconds;
                         })->seconds;
    double& launch = fitted.calibration.launch.value;
    if (narrow()) {
      add(row_->cast_base.value, 1e-9, std::max(2e-9, least - launch), (least - launch) / 2);
      add(row_->cast_row.value, 1e-12, 1e-7, 5e-9);
      add(row_->cast.value, 1e-15, 1e-10, 2e-12);
    } else {
      add(launch, 1e-8, std::max(2e-8, kMostLaunch * least));
    }
  }

  void solve() {
    std::vector<double> other_start;
    for (const auto& [value, range] : numbers_)
      other_start.push_back(std::clamp(range.start * 0.8, range.least, range.most));
    fit_in_place(
        numbers_, [this] { return residuals(); }, {other_start}, kIterations);
  }

  Fitted fitted;

 private:
  /// Eight bits and fewer: their tables come with the cast of A, and the launch is that of the wider rows.
  bool narrow() const { return std::get<Gemm>(part_.samples[0].op).a_bytes < 2; }

  void add(double& at, double least, double most, double start = 0) {
    numbers_.push_back({&at, {.start = std::clamp(start > 0 ? start : at, least, most), .least = least, .most = most}});
  }

  std::vector<double> residuals() const {
    const Device device = device_of(machine_, fitted.calibration);
    std::vector<double> residuals;
    residuals.reserve(part_.samples.size());
    for (const Sample& s : part_.samples) {
      const auto& op = std::get<Gemm>(s.op);
      const Cost c = gemm_wave(op, device, {});
      const double r = std::log(c.seconds.value / s.seconds);
      residuals.push_back((c.flops < kSmallFlops ? kSmallWeight : 1) * softened(r));
    }
    return residuals;
  }

  const Machine& machine_;
  SampleSet part_;
  Precision precision_;
  GemmCalibration* row_ = nullptr;
  std::vector<FitNumber> numbers_;
};

}  // namespace

Fitted fit_waves(const SampleSet& set, const Machine& machine) {
  WaveProblem problem(set, machine);
  problem.solve();
  return std::move(problem.fitted);
}

Fitted fit_gemm_wave(const SampleSet& set, const Machine& machine) {
  if (set.samples.empty()) return {machine.calibration, {}, true};
  Fitted fitted = fit_waves(set, machine);
  finish_gemm_fit(fitted, set, machine, "wave");
  return fitted;
}

}  // namespace operator_models
