#include <algorithm>

#include "operator_models/calibrate/collective_cells.h"
#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/row_fit.h"

namespace operator_models {
namespace {

constexpr double kRunToRun = 0.03;  // two runs of one sweep differ by 3 % (geometric mean)
constexpr double kSmallMessage = 1 << 20;
constexpr double kNoTree = 100e-6;  // per level: slower than the ring in all but the smallest messages

/// One number of a row, and another start of it.
struct CellNumber {
  FitNumber number;
  double other;
};

double least_bytes(const CollectiveCell& cell) {
  double least = 1e300;
  for (const auto& [ranks, samples] : cell.groups)
    for (const Sample* s : samples) least = std::min(least, bytes_of(s->op));
  return least;
}

/// The parameters that the cell's data can determine.
std::vector<CellNumber> numbers_of(const CollectiveCell& cell, CollectiveCalibration& row) {
  const bool message = is_message(cell.part), added = cell.part == CollectivePart::in_switch;
  const bool groups = cell.groups.size() > 1, small = least_bytes(cell) < kSmallMessage;
  // A NIC's link gives what it gives; what a switch adds, and links of a node side by side, pass the figure of one.
  const double most = cell.outer ? 1.0 : 3.0;
  std::vector<CellNumber> numbers{{{&row.efficiency, {.start = 0.8, .least = 0.01, .most = most}}, 0.6}};
  const auto add = [&](double& value, const Parameter& range, double other) {
    numbers.push_back({{&value, range}, other});
  };
  // A ring across nodes grows with its steps; fitting both would describe one layout, and mislead for another.
  if (!cell.outer || message || cell.part == CollectivePart::all_to_all)
    add(row.half_size.value, {.start = 1e6, .least = 1, .most = 5e7}, 1e7);
  const double base = cell.outer ? 20e-6 : 8e-6, step = cell.outer ? 2e-6 : 0.3e-6;
  if (small) add(row.base.value, {.start = base, .least = 1e-7, .most = 1e-2}, 4 * base);
  if (!message && !added && (cell.outer || groups))
    add(row.step.value, {.start = step, .least = 1e-9, .most = 1e-3}, 4 * step);
  if (!message && groups && cell.groups.begin()->first == 2) add(row.pair, {.start = 0.8, .least = 0.05, .most = 1}, 1);
  if (cell.outer && cell.part == CollectivePart::all_reduce && small)
    add(row.tree_step.value, {.start = kNoTree, .least = 1e-6, .most = 1e-3}, 20e-6);
  return numbers;
}

/// Fields that earlier data left in the row, and that this data is to say anew.
void forget(CollectiveCalibration& row, const CollectiveCell& cell) {
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
bool rings_only(const CollectiveCell& cell) {
  return cell.outer && (cell.part == CollectivePart::all_gather || cell.part == CollectivePart::reduce_scatter);
}

ModelChoice choice_named(const char* model) { return {{"collective", model}, {"send-recv", model}}; }

/// Where the library took the switch is not for the ring's fit to say.
void hide_rings(Calibration& calibration, const Machine& machine) {
  const std::string row = machine.network.front().name + "-" + name(CollectivePart::all_reduce);
  CollectiveCalibration& ring = calibration.collective[row];
  ring.base = {1};
}

void fit_numbers(const CollectiveCell& cell, Calibration& calibration, const Machine& machine) {
  CollectiveCalibration& row = own_row(calibration, cell, machine);
  forget(row, cell);
  if (rings_only(cell)) row.inner_half_size = collective_row(device_of(machine, calibration), 0, cell.part).half_size;
  Calibration alone = calibration;
  if (cell.part == CollectivePart::in_switch) hide_rings(alone, machine);
  CollectiveCalibration& tried = own_row(alone, cell, machine);
  std::vector<FitNumber> numbers;
  std::vector<double> others;
  for (const auto& [number, other] : numbers_of(cell, tried)) numbers.push_back(number), others.push_back(other);
  const ModelChoice choice = choice_named("alpha-beta");
  const LeastSquares found =
      fit_in_place(numbers, [&] { return cell_ratios(cell, device_of(machine, alone), choice); }, {others});
  row = tried;
  row.relative_error = std::max(found.residual, kRunToRun);
  row.provenance = Provenance::interpolated;
}

using Further = void (*)(const CollectiveCell&, Calibration&, const Machine&);

/// alpha-beta of every cell, then `further` inside the domains.
Fitted fit_cells(const SampleSet& set, const Machine& machine, const char* model, Further further) {
  Fitted fitted{with_switch_row(machine), {}, set.samples.empty()};
  if (fitted.empty) return fitted;
  const ModelChoice choice = choice_named(model);
  for (const CollectiveCell& cell : cells_of(set, device_of(machine, fitted.calibration))) {
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
