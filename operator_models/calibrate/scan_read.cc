#include "operator_models/calibrate/scan_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "operator_models/calibrate/columns.h"
#include "operator_models/calibrate/gemm_read.h"
#include "operator_models/models.h"
#include "operator_models/scan_work.h"

namespace operator_models {
namespace {

constexpr int64_t kChunk = 64;  // of flash-linear-attention's kernels, where no column says it

/// What one row says; none where a cell is wrong, no seconds where it is of another operator.
struct Measured {
  Scan op;
  double seconds = 0;
  const char* column = "";
};

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

/// None: a convolution, a step of decoding, a rule of which there is no closed form here.
std::optional<ScanRule> rule_of(std::string_view kernel) {
  const auto found = std::ranges::find_if(kKernels, [&](const KernelName& k) { return kernel.starts_with(k.start); });
  return found == std::end(kKernels) ? std::nullopt : std::optional(found->rule);
}

/// aiconfigurator: a delta rule names keys and values, a state space its state and groups.
std::optional<Measured> read_engine(const Columns& columns, size_t row, const Task& task) {
  const auto rule = rule_of(columns.text(row, "kernel"));
  if (!rule) return Measured{};
  const bool states = columns.has("d_state");
  const auto batch = columns.count(row, "batch_size"), length = columns.count(row, "seq_len");
  const auto heads = columns.count(row, states ? "nheads" : "num_v_heads"),
             groups = columns.count(row, states ? "n_groups" : "num_k_heads"),
             keys = columns.count(row, states ? "d_state" : "head_k_dim"),
             values = columns.count(row, states ? "head_dim" : "head_v_dim");
  const auto chunk = states ? columns.count(row, "chunk_size") : std::optional(kChunk);
  const auto seconds = columns.seconds(row, "latency_us");
  if (!batch || !length || !heads || !groups || !keys || !values || !chunk || !seconds) return std::nullopt;
  return Measured{{.rule = *rule,
                   .batch = *batch,
                   .heads = *heads,
                   .key_heads = *groups,
                   .length = *length,
                   .key_dim = *keys,
                   .value_dim = *values,
                   .chunk = *chunk,
                   .precision = task.precision},
                  *seconds,
                  "latency_us"};
}

/// Seconds of the forward pass of the same shape and operator on the same GPU, among the rows that are read.
std::optional<double> forward_of(const DataFile& file, const Columns& columns, size_t row) {
  for (size_t other : file.rows) {
    const auto same = [&](const char* column) { return columns.text(other, column) == columns.text(row, column); };
    const bool same_gpu = !columns.has("gpu") || same("gpu");
    if (columns.text(other, "mode") == "fwd" && same_gpu && same("op") && same("batch_size") && same("seq_len") &&
        same("num_heads") && same("head_dim"))
      return columns.seconds(other, "ms");
  }
  return std::nullopt;
}

/// flash-linear-attention: forward, or forward and backward together.
std::optional<Measured> read_layer(const DataFile& file, const Columns& columns, size_t row, const Task& task) {
  const auto rule = rule_of(columns.text(row, "op"));
  if (!rule) return Measured{};
  const auto batch = columns.count(row, "batch_size"), length = columns.count(row, "seq_len"),
             heads = columns.count(row, "num_heads"), width = columns.count(row, "head_dim");
  auto seconds = columns.seconds(row, "ms");
  const std::string& mode = columns.text(row, "mode");
  if (mode != "fwd" && mode != "fwdbwd")
    return columns.wrong(row, "mode", fmt::format("'{}' is no pass; expected fwd or fwdbwd", mode));
  if (!batch || !length || !heads || !width || !seconds) return std::nullopt;
  const bool backward = mode == "fwdbwd";
  if (backward) {
    const auto forward = forward_of(file, columns, row);
    if (!forward) return columns.wrong(row, "mode", "no row has the forward pass of this shape");
    if (*forward >= *seconds) return columns.wrong(row, "ms", "forward alone takes no less time than both passes");
    *seconds -= *forward;
  }
  return Measured{{.rule = *rule,
                   .batch = *batch,
                   .heads = *heads,
                   .key_heads = *heads,
                   .length = *length,
                   .key_dim = *width,
                   .value_dim = *width,
                   .chunk = kChunk,
                   .precision = task.precision,
                   .backward = backward},
                  *seconds,
                  "ms"};
}

std::optional<ScanRule> named_rule(const Columns& columns, size_t row) {
  const std::string& name = columns.text(row, "rule");
  const auto found = std::ranges::find(kScanRuleNames, name);
  if (found != kScanRuleNames.end()) return static_cast<ScanRule>(found - kScanRuleNames.begin());
  columns.wrong(row, "rule", fmt::format("'{}' is no rule; expected {}", name, fmt::join(kScanRuleNames, ", ")));
  return std::nullopt;
}

/// One's own measurements.
std::optional<Measured> read_plain(const Columns& columns, size_t row, const Task& task) {
  const auto rule = named_rule(columns, row);
  const auto batch = columns.count(row, "batch"), heads = columns.count(row, "heads"),
             groups = columns.count(row, "key_heads"), length = columns.count(row, "length"),
             keys = columns.count(row, "key_dim"), values = columns.count(row, "value_dim"),
             chunk = columns.count(row, "chunk");
  const auto backward = columns.flag(row, "backward");
  const auto precision = columns.precision(row, task.precision);
  const auto seconds = columns.seconds(row, "time_us");
  if (!rule || !batch || !heads || !groups || !length || !keys || !values || !chunk || !backward || !precision ||
      !seconds)
    return std::nullopt;
  return Measured{
      {*rule, *batch, *heads, *groups, *length, *keys, *values, *chunk, *precision, *backward}, *seconds, "time_us"};
}

const std::vector<std::string_view> kLayerColumns{"mode", "batch_size", "seq_len", "num_heads", "head_dim", "op", "ms"};
const std::vector<std::string_view> kPlainColumns{"rule",    "batch",     "heads", "key_heads", "length",
                                                  "key_dim", "value_dim", "chunk", "backward",  "time_us"};

std::optional<Measured> read_row(const DataFile& file, const Columns& columns, size_t row, const Task& task) {
  if (columns.has("kernel")) return read_engine(columns, row, task);
  return columns.has("rule") ? read_plain(columns, row, task) : read_layer(file, columns, row, task);
}

bool known_layout(const Columns& columns) {
  const bool engine = columns.has_all({"kernel", "phase", "batch_size", "seq_len", "latency_us"}) &&
                      (columns.has_all({"num_k_heads", "head_k_dim", "num_v_heads", "head_v_dim"}) ||
                       columns.has_all({"d_state", "nheads", "head_dim", "n_groups", "chunk_size"}));
  return engine || columns.has_all(kLayerColumns) || columns.has_all(kPlainColumns);
}

}  // namespace

void read_scans(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                dsl::Diagnostics& diagnostics) {
  const Columns columns(file.table, diagnostics);
  if (!known_layout(columns))
    return columns.unknown_layout(
        "rule,batch,heads,key_heads,length,key_dim,value_dim,chunk,backward,time_us, or one of those that "
        "calibrating.md lists");
  set.dimensions = {"batch", "heads", "length", "rule"};
  set.only_grouped = 1;
  for (size_t row : file.rows) {
    const auto measured = read_row(file, columns, row, task);
    if (!measured) continue;
    if (measured->seconds == 0) {
      ++set.passed_over;
      continue;
    }
    const Scan& op = measured->op;
    const dsl::Span place = columns.place(row, measured->column);
    if (above_peak(scan_work(op).matrix_flops, measured->seconds, op.precision, machine, place, diagnostics)) continue;
    set.samples.push_back(
        {op,
         measured->seconds,
         {std::to_string(op.batch), std::to_string(op.heads), std::to_string(op.length), name(op.rule)},
         file.counted[row] != 0,
         place});
  }
}

}  // namespace operator_models
