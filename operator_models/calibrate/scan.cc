#include <fmt/format.h>

#include <algorithm>

#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/readers.h"
#include "operator_models/calibrate/row_fit.h"
#include "operator_models/models.h"
#include "operator_models/scan_work.h"

namespace operator_models {
namespace {

constexpr int64_t kChunk = 64;  // of flash-linear-attention's kernels, where no column says it

/// Names of kernels in tables.
struct KernelName {
  std::string_view start;
  ScanRule rule;
};
constexpr KernelName kKernels[] = {{"chunk_gated_delta_rule", ScanRule::delta},
                                   {"chunk_gdn", ScanRule::delta},
                                   {"chunk_kda", ScanRule::channel_delta},
                                   {"flashkda_fwd", ScanRule::channel_delta},
                                   {"mamba_chunk_scan_combined", ScanRule::state_space},
                                   {"chunk_retention", ScanRule::decay}};

/// nullopt: a convolution, a step of decoding, a rule without a closed form here.
std::optional<ScanRule> rule_of(std::string_view kernel) {
  const auto found = std::ranges::find_if(kKernels, [&](const KernelName& k) { return kernel.starts_with(k.start); });
  return found == std::end(kKernels) ? std::nullopt : std::optional(found->rule);
}

void add_scan(const MeasuredTable& table, size_t row, const Scan& op, double seconds, std::string_view column) {
  if (table.above_peak(row, column, scan_work(op).matrix_flops, seconds, op.precision)) return;
  table.add(row, column, op, seconds,
            {std::to_string(op.batch), std::to_string(op.heads), std::to_string(op.length), name(op.rule)});
}

/// aiconfigurator: a delta rule names keys and values, a state space its state and groups.
void read_engine(const MeasuredTable& table, size_t row) {
  RowCells cells = table.cells(row);
  const auto rule = rule_of(cells.text("kernel"));
  if (!rule) return table.pass_over();
  const bool states = cells.has("d_state");
  const int64_t batch = cells.count("batch_size"), length = cells.count("seq_len");
  const Scan op{.rule = *rule,
                .batch = batch,
                .heads = cells.count(states ? "nheads" : "num_v_heads"),
                .key_heads = cells.count(states ? "n_groups" : "num_k_heads"),
                .length = length,
                .key_dim = cells.count(states ? "d_state" : "head_k_dim"),
                .value_dim = cells.count(states ? "head_dim" : "head_v_dim"),
                .chunk = states ? cells.count("chunk_size") : kChunk,
                .precision = table.task.precision};
  const double seconds = cells.seconds("latency_us");
  if (cells.whole()) add_scan(table, row, op, seconds, "latency_us");
}

/// Seconds of the forward pass of the same shape and operator on the same GPU, among the rows that are read.
std::optional<double> forward_of(const MeasuredTable& table, size_t row) {
  const TableColumns& columns = table.columns;
  for (size_t other : table.file.rows) {
    const auto same = [&](const char* column) { return columns.text(other, column) == columns.text(row, column); };
    const bool same_gpu = !columns.has("gpu") || same("gpu");
    if (columns.text(other, "mode") == "fwd" && same_gpu && same("op") && same("batch_size") && same("seq_len") &&
        same("num_heads") && same("head_dim"))
      return columns.seconds(other, "ms");
  }
  return std::nullopt;
}

/// flash-linear-attention: forward, or forward and backward together.
void read_layer(const MeasuredTable& table, size_t row) {
  RowCells cells = table.cells(row);
  const auto rule = rule_of(cells.text("op"));
  if (!rule) return table.pass_over();
  const int64_t batch = cells.count("batch_size"), length = cells.count("seq_len"), heads = cells.count("num_heads"),
                width = cells.count("head_dim");
  double seconds = cells.seconds("ms");
  const std::string& mode = cells.text("mode");
  if (mode != "fwd" && mode != "fwdbwd")
    cells.wrong("mode", fmt::format("'{}' is no pass; expected fwd or fwdbwd", mode));
  if (!cells.whole()) return;
  const bool backward = mode == "fwdbwd";
  if (backward) {
    const auto forward = forward_of(table, row);
    if (!forward) return cells.wrong("mode", "no row has the forward pass of this shape");
    if (*forward >= seconds) return cells.wrong("ms", "forward alone takes no less time than both passes");
    seconds -= *forward;
  }
  const Scan op{.rule = *rule,
                .batch = batch,
                .heads = heads,
                .key_heads = heads,
                .length = length,
                .key_dim = width,
                .value_dim = width,
                .chunk = kChunk,
                .precision = table.task.precision,
                .backward = backward};
  add_scan(table, row, op, seconds, "ms");
}

/// The user's own measurements.
void read_measured_scan(const MeasuredTable& table, size_t row) {
  RowCells cells = table.cells(row);
  const std::string& rule = cells.text("rule");
  const auto found = std::ranges::find(kScanRuleNames, rule);
  if (found == kScanRuleNames.end())
    cells.wrong("rule", fmt::format("'{}' is no rule; expected {}", rule, fmt::join(kScanRuleNames, ", ")));
  Scan op{.rule = static_cast<ScanRule>(found - kScanRuleNames.begin()),
          .batch = cells.count("batch"),
          .heads = cells.count("heads"),
          .key_heads = cells.count("key_heads"),
          .length = cells.count("length"),
          .key_dim = cells.count("key_dim"),
          .value_dim = cells.count("value_dim"),
          .chunk = cells.count("chunk")};
  op.backward = cells.flag("backward");
  op.precision = cells.precision(table.task.precision);
  const double seconds = cells.seconds("time_us");
  if (cells.whole()) add_scan(table, row, op, seconds, "time_us");
}

const std::vector<std::string_view> kLayerColumns{"mode", "batch_size", "seq_len", "num_heads", "head_dim", "op", "ms"};
const std::vector<std::string_view> kPlainColumns{"rule",    "batch",     "heads", "key_heads", "length",
                                                  "key_dim", "value_dim", "chunk", "backward",  "time_us"};

bool known_layout(const TableColumns& columns) {
  const bool engine = columns.has_all({"kernel", "phase", "batch_size", "seq_len", "latency_us"}) &&
                      (columns.has_all({"num_k_heads", "head_k_dim", "num_v_heads", "head_v_dim"}) ||
                       columns.has_all({"d_state", "nheads", "head_dim", "n_groups", "chunk_size"}));
  return engine || columns.has_all(kLayerColumns) || columns.has_all(kPlainColumns);
}

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

void read_scans(const MeasuredTable& table) {
  const TableColumns& columns = table.columns;
  if (!known_layout(columns))
    return columns.unknown_layout(
        "rule,batch,heads,key_heads,length,key_dim,value_dim,chunk,backward,time_us, or one of those that "
        "calibrating.md lists");
  table.set.dimensions = {"batch", "heads", "length", "rule"};
  table.set.only_grouped = 1;
  const auto read = columns.has("kernel") ? read_engine : columns.has("rule") ? read_measured_scan : read_layer;
  for (size_t row : table.file.rows) read(table, row);
}

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
