#include "operator_models/calibrate/concurrency_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "operator_models/calibrate/concurrency_read.h"
#include "operator_models/calibrate/least_squares.h"
#include "operator_models/calibrate/outliers.h"
#include "operator_models/calibrate/predictor_fit.h"
#include "operator_models/calibrate/score.h"
#include "operator_models/predictor.h"

namespace operator_models {
namespace {

constexpr size_t kLeastShapes = 50;  // for 80 weights

/// Measurements, the machine that they are of, and the model of what a library's kernels do.
struct Fit {
  const SampleSet& set;
  const Machine& machine;
  ModelChoice model;
};

std::vector<double> logs_of(const Fit& task, const Calibration& calibration) {
  const SampleSet& set = task.set;
  std::vector<double> logs = predicted(set, device_of(task.machine, calibration), task.model);
  for (size_t i = 0; i < logs.size(); ++i) logs[i] = std::log(logs[i] / set.samples[i].seconds);
  return logs;
}

/// What happens at once is in how much longer several take than one: each row over that of its shape alone.
void fit_numbers(const Fit& task, Calibration& calibration) {
  ConcurrencyCalibration& row = calibration.concurrency;
  std::vector<Parameter> parameters{{.start = std::clamp(row.thrash, 0.01, 0.9), .least = 1e-4, .most = 1}};
  for (size_t i = 0; i + 1 < row.hide.size(); ++i)
    parameters.push_back({.start = row.hide[i], .least = 0.05, .most = 1});
  const auto put = [&](const std::vector<double>& x) {
    row.thrash = x[0];
    for (size_t i = 1; i < x.size(); ++i) row.hide[i - 1] = x[i];
  };
  const Residuals residuals = [&](const std::vector<double>& x) {
    put(x);
    return logs_of(task, calibration);
  };
  put(least_squares(residuals, parameters).values);
  row.relative_error = errors_of(logs_of(task, calibration)).residual.value_or(row.relative_error);
  row.provenance = Provenance::interpolated;
}

using ByNumber = std::map<int64_t, const Sample*>;

bool has_every_number(const ByNumber& samples) {
  return std::ranges::all_of(kDegrees, [&](int64_t degree) { return samples.contains(degree); });
}

/// Shapes with every number of kDegrees, each with the one that gains most over as many one by one.
std::vector<LabelledGemm> labelled(const SampleSet& set, const Device& device) {
  std::map<GemmShape, ByNumber> shapes;
  for (const Sample& sample : set.samples) {
    const auto& op = std::get<ConcurrentGemms>(sample.op);
    shapes[shape_of(op.gemm)][op.at_once] = &sample;
  }
  std::vector<LabelledGemm> out;
  for (const auto& [shape, by_number] : shapes) {
    if (!has_every_number(by_number)) continue;
    const double alone = by_number.at(1)->seconds;
    LabelledGemm one{.features = features_of(std::get<ConcurrentGemms>(by_number.at(1)->op).gemm, device)};
    double best = 1;
    for (size_t i = 0; i < kDegrees.size(); ++i)
      if (const double gain = static_cast<double>(kDegrees[i]) * alone / by_number.at(kDegrees[i])->seconds;
          gain > best)
        best = gain, one.degree = i;
    out.push_back(std::move(one));
  }
  return out;
}

Fitted fitted_by(const Fit& task) {
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
  if (!set.modelled) warn_outliers(set, logs_of(task, fitted.calibration), fitted);
  return fitted;
}

}  // namespace

Fitted fit_concurrency(const SampleSet& set, const Machine& machine) {
  return fitted_by({set, machine, {{"concurrent-gemm", "default"}}});
}
Fitted fit_tuned_concurrency(const SampleSet& set, const Machine& machine) {
  return fitted_by({set, machine, {{"concurrent-gemm", "go"}}});
}

}  // namespace operator_models
