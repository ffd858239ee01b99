#include <fmt/format.h>

#include <algorithm>

#include "operator_models/calibrate/readers.h"
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

}  // namespace operator_models
