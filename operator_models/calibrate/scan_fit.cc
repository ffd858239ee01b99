#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/row_fit.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

constexpr size_t kForwardRows = 6, kBackwardRows = 2;
constexpr double kPull = 30;  // towards the start, in the logarithm: only what the rows say nothing of stays there

/// A number of a row, and where a fit may move it from where it is.
FitNumber moved(double& value, double least, double most) {
  return {&value, {.start = value, .least = least, .most = most, .step = 1e-3, .pull = kPull}};
}

/// Both directions of one row, then the remainder; returns whether one had enough rows.
template <class Op, class Row> bool fit_row(Row& row, const std::vector<FitNumber>& numbers, const SampleSet& set,
                                            const Machine& machine, Fitted& fitted) {
  const SampleSet forward = samples_of_pass<Op>(set, false), backward = samples_of_pass<Op>(set, true);
  const bool ahead = forward.samples.size() >= kForwardRows, back = backward.samples.size() >= kBackwardRows;
  if (ahead) fit_in_place(numbers, [&] { return residuals_of(forward, machine, fitted.calibration); });
  if (back)
    fit_in_place({moved(row.backward, 0.1, 10)}, [&] { return residuals_of(backward, machine, fitted.calibration); });
  if (!ahead && !back) return false;
  finish_row(row, set, residuals_of(set, machine, fitted.calibration), fitted);
  return true;
}

}  // namespace

Fitted fit_scan(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, true};
  for (const char* rule : kScanRuleNames) {
    const SampleSet part =
        samples_where(set, [&](const Sample& s) { return name(std::get<Scan>(s.op).rule) == std::string_view(rule); });
    if (part.samples.empty()) continue;
    const ScanRule which = std::get<Scan>(part.samples.front().op).rule;
    const bool known = fitted.calibration.scan.contains(rule);
    const ScanCalibration start = scan_row(fitted.calibration, which);
    ScanCalibration& row = fitted.calibration.scan.insert_or_assign(rule, start).first->second;
    const std::vector<FitNumber> numbers{moved(row.matrix, 0.001, 1), moved(row.memory, 0.01, 1.5),
                                         moved(row.base.value, 1e-7, 1e-3), moved(row.step.value, 1e-9, 1e-4)};
    if (fit_row<Scan>(row, numbers, part, machine, fitted)) {
      fitted.empty = false;
      continue;
    }
    fitted.warnings.push_back(std::string(rule) + ": fewer than six rows forward and two backward");
    if (!known) fitted.calibration.scan.erase(rule);  // no data about it
  }
  return fitted;
}

Fitted fit_selection(const SampleSet& set, const Machine& machine) {
  Fitted fitted{machine.calibration, {}, true};
  const SelectionCalibration start = selection_row(fitted.calibration);
  SelectionCalibration& row = fitted.calibration.selection.insert_or_assign("default", start).first->second;
  const std::vector<FitNumber> numbers{moved(row.matrix, 0.001, 1), moved(row.choice, 0.001, 1.5),
                                       moved(row.base.value, 1e-7, 1e-3), moved(row.query.value, 1e-12, 1e-5)};
  fitted.empty = !fit_row<Selection>(row, numbers, set, machine, fitted);
  if (fitted.empty) fitted.calibration = machine.calibration;
  if (fitted.empty) fitted.warnings.push_back("selection: fewer than six rows forward and two backward");
  return fitted;
}

}  // namespace operator_models
