#include "operator_models/calibrate/collective_fit.h"

#include <algorithm>
#include <cmath>

#include "operator_models/calibrate/collective_integers.h"
#include "operator_models/calibrate/least_squares.h"
#include "operator_models/calibrate/score.h"

namespace operator_models {
namespace {

constexpr double kRunToRun = 0.03;  // two runs of one sweep differ by 3 % (geometric mean)
constexpr double kSmallMessage = 1 << 20;
constexpr double kNoTree = 100e-6;  // per level: slower than the ring in all but the smallest messages

/// One number of a row, as the fit moves it.
struct Number {
  Parameter parameter;
  std::vector<double> others;  // further starts
  std::function<void(CollectiveCalibration&, double)> set;
};

double least_bytes(const Cell& cell) {
  double least = 1e300;
  for (const auto& [ranks, samples] : cell.groups)
    for (const Sample* s : samples) least = std::min(least, bytes_of(s->op));
  return least;
}

Number base(double start) {
  return {{.start = start, .least = 1e-7, .most = 1e-2}, {4 * start}, [](auto& r, double x) { r.base = {x}; }};
}
Number half_size() {
  return {{.start = 1e6, .least = 1, .most = 5e7}, {1e7}, [](auto& r, double x) { r.half_size = {x}; }};
}
/// A NIC's link gives what it gives; what a switch adds, and links of a node side by side, pass the figure of one.
Number efficiency(bool outer) {
  return {{.start = 0.8, .least = 0.01, .most = outer ? 1.0 : 3.0}, {0.6}, [](auto& r, double x) { r.efficiency = x; }};
}
Number step(double start) {
  return {{.start = start, .least = 1e-9, .most = 1e-3}, {4 * start}, [](auto& r, double x) { r.step = {x}; }};
}

Number tree_step() {
  return {{.start = kNoTree, .least = 1e-6, .most = 1e-3}, {20e-6}, [](auto& r, double x) { r.tree_step = {x}; }};
}

/// What the cell's data can tell apart.
std::vector<Number> numbers_of(const Cell& cell) {
  const bool message = is_message(cell.part), added = cell.part == CollectivePart::in_switch;
  std::vector<Number> numbers{efficiency(cell.outer)};
  const bool groups = cell.groups.size() > 1;
  // A ring across nodes grows with its steps; both at once would tell one layout, and mislead about another.
  if (!cell.outer || message || cell.part == CollectivePart::all_to_all) numbers.push_back(half_size());
  const bool small = least_bytes(cell) < kSmallMessage;
  if (small) numbers.push_back(base(cell.outer ? 20e-6 : 8e-6));
  if (!message && !added && (cell.outer || groups)) numbers.push_back(step(cell.outer ? 2e-6 : 0.3e-6));
  if (!message && groups && cell.groups.begin()->first == 2)
    numbers.push_back({{.start = 0.8, .least = 0.05, .most = 1}, {1}, [](auto& r, double x) { r.pair = x; }});
  if (cell.outer && cell.part == CollectivePart::all_reduce && small) numbers.push_back(tree_step());
  return numbers;
}

/// Fields that earlier data left in the row, and that this data is to say anew.
void forget(CollectiveCalibration& row, const Cell& cell) {
  row.pair = 1;
  row.half_size = {};
  row.integers = integer_factor(cell).value_or(CollectiveCalibration{}.integers);
  if (cell.outer) row.tree_step = {kNoTree}, row.tree_chunk = {kSmallMessage};
  row.table_ranks.clear();
  row.table_us.clear();
  row.region_ranks.clear();
  row.region.clear();
  row.inner_half_size = {};
  row.measured_bandwidth = {};
  row.measured_latency = {};
}

/// Across domains, and by rings alone: NCCL's all-reduce mixes in trees, and messages and all-to-all go their own ways.
bool rings_only(const Cell& cell) {
  return cell.outer && (cell.part == CollectivePart::all_gather || cell.part == CollectivePart::reduce_scatter);
}

ModelChoice choice_named(const char* model) { return {{"collective", model}, {"send-recv", model}}; }

/// Where the library took the switch is not for the ring's fit to say.
void hide_rings(Calibration& calibration, const Machine& machine) {
  const std::string row = machine.network.front().name + "-" + name(CollectivePart::all_reduce);
  CollectiveCalibration& ring = calibration.collective[row];
  ring.base = {1};
}

void fit_numbers(const Cell& cell, Calibration& calibration, const Machine& machine) {
  CollectiveCalibration& row = own_row(calibration, cell, machine);
  forget(row, cell);
  if (rings_only(cell)) row.inner_half_size = collective_row(device_of(machine, calibration), 0, cell.part).half_size;
  const std::vector<Number> numbers = numbers_of(cell);
  std::vector<Parameter> parameters;
  std::vector<double> others;
  for (const Number& n : numbers) parameters.push_back(n.parameter), others.push_back(n.others[0]);
  const ModelChoice choice = choice_named("alpha-beta");
  Calibration alone = calibration;
  if (cell.part == CollectivePart::in_switch) hide_rings(alone, machine);
  CollectiveCalibration& tried = own_row(alone, cell, machine);
  const Residuals residuals = [&](const std::vector<double>& x) {
    for (size_t i = 0; i < x.size(); ++i) numbers[i].set(tried, x[i]);
    return cell_ratios(cell, device_of(machine, alone), choice);
  };
  const LeastSquares found = least_squares(residuals, parameters, {others});
  for (size_t i = 0; i < found.values.size(); ++i) numbers[i].set(row, found.values[i]);
  row.relative_error = std::max(found.residual, kRunToRun);
  row.provenance = Provenance::interpolated;
}

using Further = void (*)(const Cell&, Calibration&, const Machine&);

/// alpha-beta of every cell, then `further` inside the domains.
Fitted fit_cells(const SampleSet& set, const Machine& machine, const char* model, Further further) {
  Fitted fitted{with_switch_row(machine), {}, set.samples.empty()};
  if (fitted.empty) return fitted;
  const ModelChoice choice = choice_named(model);
  for (const Cell& cell : cells_of(set, device_of(machine, fitted.calibration))) {
    fit_numbers(cell, fitted.calibration, machine);
    if (!further || cell.outer) continue;
    further(cell, fitted.calibration, machine);
    const Errors errors = errors_of(cell_ratios(cell, device_of(machine, fitted.calibration), choice));
    fitted.calibration.collective[cell.row].relative_error = std::max(*errors.residual, kRunToRun);
  }
  fitted.warnings = outliers(set, device_of(machine, fitted.calibration), choice);
  fitted.covers = covered_by(set, machine);
  return fitted;
}

}  // namespace

Fitted fit_alpha_beta(const SampleSet& set, const Machine& machine) {
  return fit_cells(set, machine, "alpha-beta", nullptr);
}
Fitted fit_collective_table(const SampleSet& set, const Machine& machine) {
  return fit_cells(set, machine, "table", fit_table);
}
Fitted fit_three_region(const SampleSet& set, const Machine& machine) {
  return fit_cells(set, machine, "three_region", fit_regions);
}

}  // namespace operator_models
