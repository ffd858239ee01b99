#include "operator_models/calibrate/gemm_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "operator_models/calibrate/row_fit.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

constexpr double kLargeFlops = 1e9;  // what a training step is made of
constexpr size_t kFewLarge = 20, kToldOutliers = 3;
constexpr double kFarResiduals = 4, kLeastFar = 0.5;

struct SampleResidual {
  double log = 0;
  const Sample* sample = nullptr;
};

double rms(const std::vector<SampleResidual>& residuals) {
  double squares = 0;
  for (const SampleResidual& r : residuals) squares += r.log * r.log;
  return residuals.empty() ? 0 : std::sqrt(squares / real(residuals.size()));
}

/// "37 rows lie more than 65 % off, worst gemm.csv:12:9 (2.41 times the measured time) ...".
void tell_outliers(Fitted& fitted, std::vector<SampleResidual> residuals) {
  const double far = std::max(kLeastFar, kFarResiduals * rms(residuals));
  std::erase_if(residuals, [&](const SampleResidual& r) { return std::abs(r.log) <= far; });
  if (residuals.empty()) return;
  std::sort(residuals.begin(), residuals.end(),
            [](const SampleResidual& a, const SampleResidual& b) { return std::abs(a.log) > std::abs(b.log); });
  std::string worst;
  for (size_t i = 0; i < std::min(residuals.size(), kToldOutliers); ++i) {
    const dsl::Span& at = residuals[i].sample->place;
    worst += fmt::format("{}{}:{}:{} ({:.2f} times the measured time)", worst.empty() ? "" : ", ",
                         at.source ? at.source->name : "", at.line, at.column, std::exp(residuals[i].log));
  }
  fitted.warnings.push_back(fmt::format("{} of the fitted rows lie off by a factor above {:.2f}, all kept: {}",
                                        residuals.size(), std::exp(far), worst));
}

}  // namespace

GemmCalibration& gemm_row_for(Calibration& calibration, Precision precision) {
  const GemmCalibration nearest = *gemm_row(calibration, precision).row;
  GemmCalibration& row = calibration.gemm.try_emplace(name(precision), nearest).first->second;
  if (row.like) row = nearest;  // measured itself, it no longer copies another row
  return row;
}

void finish_gemm_fit(Fitted& fitted, const SampleSet& set, const Machine& machine, const char* model) {
  const ModelChoice choice{{"gemm", model}};
  const std::vector<double> seconds = predicted(set, device_of(machine, fitted.calibration), choice);
  std::vector<SampleResidual> all, large;
  for (size_t i = 0; i < seconds.size(); ++i) {
    const Sample& s = set.samples[i];
    const auto& op = std::get<Gemm>(s.op);
    all.push_back({std::log(seconds[i] / s.seconds), &s});
    if (gemm_flops(op) >= kLargeFlops) large.push_back(all.back());
  }
  GemmCalibration& row = gemm_row_for(fitted.calibration, std::get<Gemm>(set.samples[0].op).precision);
  row.relative_error = rms(large.size() >= kFewLarge ? large : all);
  row.provenance = Provenance::interpolated;
  if (row.cast_base.value > 0 || row.cast.value > 0)
    fitted.warnings.push_back(fmt::format(
        "each row of the data holds a cast beside the GEMM: {:.1f} us, and for each row of A {:.2f} ns or {:.2f} ps an "
        "element; plans do not pay cast_base, cast_row and cast",
        row.cast_base.value * 1e6, row.cast_row.value * 1e9, row.cast.value * 1e12));
  tell_outliers(fitted, std::move(all));
}

Fitted fit_gemm_roofline(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, set.samples.empty()};
  if (fitted.empty) return fitted;
  GemmCalibration& row = gemm_row_for(fitted.calibration, std::get<Gemm>(set.samples[0].op).precision);
  fit_in_place({{&row.roofline_efficiency, {.start = row.roofline_efficiency, .least = 0.01, .most = 1}},
                {&row.memory_efficiency, {.start = row.memory_efficiency, .least = 0.01, .most = 1.5}}},
               [&] {
                 return log_ratios(set, device_of(machine, fitted.calibration), {{"gemm", "roofline"}});
               });
  finish_gemm_fit(fitted, set, machine, "roofline");
  return fitted;
}

}  // namespace operator_models
