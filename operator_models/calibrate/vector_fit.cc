#include <algorithm>
#include <cmath>
#include <map>

#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/row_fit.h"
#include "operator_models/calibrate/vector_shapes.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

constexpr size_t kLeastRows = 6;  // fewer rows of a kind leave its row as it is
constexpr size_t kKnotRows = 4;   // rows between a knot and its neighbours
constexpr double kPull = 2;       // of an efficiency towards its start, in the logarithm
constexpr int kMostIterations = 60;
/// PyTorch's softmax of more than 1024 elements is another kernel.
constexpr double kWidths[] = {64, 128, 256, 512, 1024, 1025, 2048, 4096, 8192, 16384};

bool is_backward(const Operator& op) {
  const auto* vector = std::get_if<Vector>(&op);
  return vector && vector->backward;
}

bool is_called(const Sample& s) {
  const auto* vector = std::get_if<Vector>(&s.op);
  return vector && vector->called;
}

/// Knots with rows on both sides, where rows are reduced.
std::vector<double> widths_of(const SampleSet& set) {
  std::vector<double> seen;
  for (const Sample& s : set.samples) {
    const auto* op = std::get_if<Vector>(&s.op);
    if (op && op->width > 0 && (op->kind == VectorKind::normalization || op->kind == VectorKind::softmax))
      seen.push_back(real(op->width));
  }
  std::sort(seen.begin(), seen.end());
  const auto rows = [&](double from, double to) {
    return static_cast<size_t>(std::upper_bound(seen.begin(), seen.end(), to) -
                               std::lower_bound(seen.begin(), seen.end(), from));
  };
  std::vector<double> chosen;
  for (double w : kWidths)
    if (rows(w / 2, 2 * w) >= kKnotRows && rows(0, w) > 0 && rows(w, 1e300) > 0) chosen.push_back(w);
  return chosen.size() < 3 ? std::vector<double>{} : chosen;
}

/// Numbers of one row in a fixed order: efficiencies, then the two of a call.
std::vector<FitNumber> numbers_of(VectorCalibration& row, const SampleSet& forward) {
  row.widths = widths_of(forward);
  row.efficiencies.assign(row.widths.size(), row.efficiency);
  const Parameter share{.start = row.efficiency, .least = 0.01, .most = 1, .pull = kPull};
  std::vector<FitNumber> all;
  for (double& efficiency : row.efficiencies) all.push_back({&efficiency, share});
  if (all.empty()) all.push_back({&row.efficiency, share});
  double least = 1e9;
  for (const Sample& s : forward.samples)
    if (is_called(s)) least = std::min(least, s.seconds);
  if (std::any_of(forward.samples.begin(), forward.samples.end(), is_called)) {
    all.push_back({&row.call_base.value, {.start = 0.5 * least, .least = 1e-7, .most = 1e-3}});
    all.push_back({&row.call_least.value, {.start = 1.05 * least, .least = 1e-7, .most = 1e-3}});
  }
  return all;
}

/// One figure for rows of unknown width: the mean over the samples' widths.
void set_mean(VectorCalibration& row) {
  if (row.efficiencies.empty()) return;
  double sum = 0;
  for (double e : row.efficiencies) sum += std::log(e);
  row.efficiency = std::exp(sum / real(row.efficiencies.size()));
}

/// One number, to all samples of `set`.
void fit_number(double& number, const SampleSet& set, const Machine& machine, const Calibration& calibration,
                double most) {
  fit_in_place({{&number, {.start = number, .least = 0.01, .most = most}}},
               [&] { return residuals_of(set, machine, calibration); });
}

/// REQUIRES: enough rows for one of the two directions, or for both together.
void fit_row(VectorCalibration& row, const SampleSet& all, const Machine& machine, Fitted& fitted) {
  SampleSet forward{all.dimensions, {}, 0}, backward = forward;
  for (const Sample& s : all.samples) (is_backward(s.op) ? backward : forward).samples.push_back(s);
  if (std::max(forward.samples.size(), backward.samples.size()) < kLeastRows) forward = all;
  if (forward.samples.size() >= kLeastRows) {
    fit_in_place(
        numbers_of(row, forward), [&] { return residuals_of(forward, machine, fitted.calibration); }, {},
        kMostIterations);
    set_mean(row);
  }
  if (backward.samples.size() >= kLeastRows) fit_number(row.backward, backward, machine, fitted.calibration, 3);
  finish_row(row, all, residuals_of(all, machine, fitted.calibration), fitted);
}

}  // namespace

Fitted fit_vector(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, true};
  std::map<std::string, SampleSet> kinds;
  for (const Sample& s : set.samples) {
    SampleSet& part = kinds[vector_row_name(s.op)];
    part.dimensions = set.dimensions;
    part.samples.push_back(s);
  }
  for (const auto& [name, part] : kinds) {
    if (part.samples.size() < kLeastRows) continue;
    fitted.empty = false;
    if (name == "update") {
      fit_number(fitted.calibration.update_efficiency, part, machine, fitted.calibration, 1);
      continue;
    }
    auto& rows = fitted.calibration.vector;
    fit_row(rows.try_emplace(name, vector_row(fitted.calibration, name)).first->second, part, machine, fitted);
  }
  return fitted;
}

}  // namespace operator_models
