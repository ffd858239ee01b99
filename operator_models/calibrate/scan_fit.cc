#include "operator_models/calibrate/scan_fit.h"

#include <cmath>

#include "operator_models/calibrate/least_squares.h"
#include "operator_models/calibrate/outliers.h"
#include "operator_models/calibrate/score.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

constexpr size_t kForwardRows = 6, kBackwardRows = 2;
constexpr double kPull = 30;  // towards the start, in the logarithm: only what the rows say nothing of stays there

std::vector<double> logs_of(const SampleSet& set, const Machine& machine, const Calibration& calibration) {
  std::vector<double> logs = predicted(set, device_of(machine, calibration), {});
  for (size_t i = 0; i < logs.size(); ++i) logs[i] = std::log(logs[i] / set.samples[i].seconds);
  return logs;
}

template <class Op> SampleSet direction(const SampleSet& all, bool backward) {
  SampleSet part{all.dimensions};
  for (const Sample& s : all.samples)
    if (std::get<Op>(s.op).backward == backward) part.samples.push_back(s);
  return part;
}

/// A number of a row, and where a fit may move it.
struct Number {
  double* value;
  double least, most;
};

void fit_numbers(const std::vector<Number>& numbers, const SampleSet& set, const Machine& machine,
                 const Calibration& calibration) {
  std::vector<Parameter> parameters;
  for (const Number& n : numbers)
    parameters.push_back({.start = *n.value, .least = n.least, .most = n.most, .step = 1e-3, .pull = kPull});
  const auto put = [&](const std::vector<double>& x) {
    for (size_t i = 0; i < x.size(); ++i) *numbers[i].value = x[i];
  };
  const Residuals residuals = [&](const std::vector<double>& x) {
    put(x);
    return logs_of(set, machine, calibration);
  };
  put(least_squares(residuals, parameters).values);
}

/// Both directions of one row, then what is left; whether there were enough rows of one.
template <class Op, class Row> bool fit_row(Row& row, const std::vector<Number>& numbers, const SampleSet& set,
                                            const Machine& machine, Fitted& fitted) {
  const SampleSet forward = direction<Op>(set, false), backward = direction<Op>(set, true);
  const bool ahead = forward.samples.size() >= kForwardRows, back = backward.samples.size() >= kBackwardRows;
  if (ahead) fit_numbers(numbers, forward, machine, fitted.calibration);
  if (back) fit_numbers({{&row.backward, 0.1, 10}}, backward, machine, fitted.calibration);
  if (!ahead && !back) return false;
  const std::vector<double> logs = logs_of(set, machine, fitted.calibration);
  row.relative_error = errors_of(logs).residual.value_or(row.relative_error);
  row.provenance = Provenance::interpolated;
  warn_outliers(set, logs, fitted);
  return true;
}

}  // namespace

Fitted fit_scan(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, true};
  for (const char* rule : kScanRuleNames) {
    SampleSet part{set.dimensions};
    for (const Sample& s : set.samples)
      if (std::string_view(name(std::get<Scan>(s.op).rule)) == rule) part.samples.push_back(s);
    if (part.samples.empty()) continue;
    const ScanRule which = std::get<Scan>(part.samples.front().op).rule;
    const bool known = fitted.calibration.scan.contains(rule);
    const ScanCalibration start = scan_row(fitted.calibration, which);
    ScanCalibration& row = fitted.calibration.scan.insert_or_assign(rule, start).first->second;
    const std::vector<Number> numbers{{&row.matrix, 0.001, 1},
                                      {&row.memory, 0.01, 1.5},
                                      {&row.base.value, 1e-7, 1e-3},
                                      {&row.step.value, 1e-9, 1e-4}};
    if (fit_row<Scan>(row, numbers, part, machine, fitted)) {
      fitted.empty = false;
      continue;
    }
    fitted.warnings.push_back(std::string(rule) + ": fewer than six rows forward and two backward");
    if (!known) fitted.calibration.scan.erase(rule);  // nothing is said of it
  }
  return fitted;
}

Fitted fit_selection(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, true};
  const SelectionCalibration start = selection_row(fitted.calibration);
  SelectionCalibration& row = fitted.calibration.selection.insert_or_assign("default", start).first->second;
  const std::vector<Number> numbers{{&row.matrix, 0.001, 1},
                                    {&row.choice, 0.001, 1.5},
                                    {&row.base.value, 1e-7, 1e-3},
                                    {&row.query.value, 1e-12, 1e-5}};
  fitted.empty = !fit_row<Selection>(row, numbers, set, machine, fitted);
  if (fitted.empty) fitted.calibration = machine.calibration;
  if (fitted.empty) fitted.warnings.push_back("selection: fewer than six rows forward and two backward");
  return fitted;
}

}  // namespace operator_models
