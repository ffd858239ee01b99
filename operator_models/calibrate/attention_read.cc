#include <fmt/format.h>

#include <algorithm>

#include "operator_models/attention_shape.h"
#include "operator_models/calibrate/readers.h"

namespace operator_models {
namespace {

/// The kernel when neither a column nor --kernel says it: one that was measured on this machine, else flash2.
std::string usual_kernel(const Machine& machine) {
  for (const auto& [name, row] : machine.calibration.attention)
    if (!row.table.empty()) return name;
  return machine.calibration.attention.count("flash2") ? "flash2" : "default";
}

void add_attention(const MeasuredTable& table, size_t row, Attention op, double seconds, std::string_view column) {
  const std::string& asked = table.task.kernel;
  if (!asked.empty() && op.kernel != asked) return table.pass_over();  // a table of several kernels
  if (op.kernel.empty()) op.kernel = usual_kernel(table.machine);
  // What the peak bounds are the pairs that the mask leaves.
  const double width = 4 * real(op.batch) * real(op.heads) * head_width(op);
  const double flops = width * executed_pairs(op, 1) * (op.backward ? kBackwardGemms : 1);
  if (table.above_peak(row, column, flops, seconds, op.precision)) return;
  table.add(row, column, op, seconds,
            {std::to_string(op.batch), std::to_string(op.heads), std::to_string(op.kv_heads), std::to_string(op.keys),
             std::to_string(op.head_dim)});
}

/// aiconfigurator: queries are keys. Its tables of language models name KV heads, are causal and include writing the KV
/// cache. Those of vision encoders have no KV heads, and attend to the whole square. A window of 0 means no window.
void read_sweep(const MeasuredTable& table, size_t row) {
  RowCells cells = table.cells(row);
  const bool decoder = cells.has("num_kv_heads");
  const int64_t batch = cells.count("batch_size"), length = cells.count("seq_len"), heads = cells.count("num_heads"),
                width = cells.count("head_dim"), kv_heads = decoder ? cells.count("num_kv_heads") : heads;
  const double seconds = cells.seconds("latency_us");
  const bool causal = cells.has("causal") ? table.columns.flag(row, "causal").value_or(false) : decoder;
  const double window = cells.has("window_size") ? cells.amount("window_size") : 0;
  if (!cells.whole()) return;
  const Attention op{.kernel = table.task.kernel,
                     .batch = batch,
                     .heads = heads,
                     .kv_heads = kv_heads,
                     .queries = length,
                     .keys = length,
                     .head_dim = width,
                     .causal = causal,
                     .precision = table.task.precision,
                     .window = static_cast<int64_t>(window),
                     .cached = decoder};
  add_attention(table, row, op, seconds, "latency_us");
}

/// SimuMax: a share of a peak, counted on the whole square although the kernel is causal (shares above 1).
void read_share(const MeasuredTable& table, size_t row) {
  RowCells cells = table.cells(row);
  const int64_t batch = cells.count("batch"), length = cells.count("seq_len");
  const Attention op{.kernel = table.task.kernel,
                     .batch = batch,
                     .heads = cells.count("head_num"),
                     .kv_heads = cells.count("kv_head_num"),
                     .queries = length,
                     .keys = length,
                     .head_dim = cells.count("qk_head_dim"),
                     .backward = cells.text("op").ends_with("bwd"),
                     .precision = table.task.precision,
                     .value_dim = cells.count("v_head_dim")};
  const double peak = cells.positive("peak_tflops"), share = cells.positive("efficiency");
  if (!cells.whole()) return;
  const double square = real(length) * real(length);
  const double flops = 4 * real(batch) * real(op.heads) * head_width(op) * square * (op.backward ? kBackwardGemms : 1);
  add_attention(table, row, op, flops / (peak * 1e12 * share), "efficiency");
}

/// The layout of the measurement kit.
void read_measured_attention(const MeasuredTable& table, size_t row) {
  RowCells cells = table.cells(row);
  const Attention op{.kernel = cells.has("kernel") ? cells.text("kernel") : table.task.kernel,
                     .batch = cells.count("batch"),
                     .heads = cells.count("heads"),
                     .kv_heads = cells.count("kv_heads"),
                     .queries = cells.count("queries"),
                     .keys = cells.count("keys"),
                     .head_dim = cells.count("head_dim"),
                     .causal = cells.flag("causal"),
                     .backward = cells.flag("backward"),
                     .precision = cells.precision(table.task.precision)};
  const double seconds = cells.seconds("time_us");
  if (cells.whole()) add_attention(table, row, op, seconds, "time_us");
}

/// Kernels of sparse attention over latent keys (aiconfigurator): one key head for all query heads. Rows of other
/// kernels of the table are passed over.
struct SparseKernel {
  const char* op;
  int64_t head_dim, value_dim;
  int64_t selected;  // keys that are chosen
  int64_t window;    // additional keys: the nearest, and all compressed ones if none are chosen
};
constexpr SparseKernel kSparseKernels[] = {
    {"glm5_dsa_attn", 576, 512, 2048, 0},  // FlashMLA, DeepSeek-V3.2's heads
    {"dsv4_hca_attn", 512, 512, 0, 128},   // DeepSeek-V4: heavily compressed, all of them
};

void read_sparse(const MeasuredTable& table, size_t row) {
  RowCells cells = table.cells(row);
  const auto kernel = std::ranges::find(kSparseKernels, cells.text("op"), &SparseKernel::op);
  if (kernel == std::end(kSparseKernels)) return table.pass_over();
  const int64_t heads = cells.count("num_heads"), ratio = cells.count("compress_ratio"),
                batch = cells.count("batch_size"), queries = cells.count("seq_len");
  const double prefix = cells.amount("prefix_len"), seconds = cells.seconds("latency_us");
  if (!cells.whole()) return;
  const int64_t keys = queries + static_cast<int64_t>(prefix);
  const Attention op{.kernel = kSelectedKernel,
                     .batch = batch,
                     .heads = heads,
                     .kv_heads = 1,
                     .queries = queries,
                     .keys = keys,
                     .head_dim = kernel->head_dim,
                     .value_dim = kernel->value_dim,
                     .selected = kernel->window + (kernel->selected > 0 ? kernel->selected : keys / ratio)};
  add_attention(table, row, op, seconds, "latency_us");
}

/// DeepSeek-V4's attention in training (Primus): a window of 128, and where keys are compressed by 4 the chosen ones.
void read_training(const MeasuredTable& table, size_t row) {
  constexpr int64_t kWindow = 128, kWidth = 512;
  RowCells cells = table.cells(row);
  const int64_t heads = cells.count("num_heads"), chosen = cells.count("index_topk"), batch = cells.count("batch_size"),
                length = cells.count("seq_len");
  const double ratio = cells.amount("compress_ratio"), seconds = cells.seconds("ms");
  const std::string& mode = cells.text("mode");
  if (mode != "fwd" && mode != "bwd") cells.wrong("mode", fmt::format("'{}' is no pass; expected fwd or bwd", mode));
  if (!cells.whole()) return;
  const Attention op{.kernel = kSelectedKernel,
                     .batch = batch,
                     .heads = heads,
                     .kv_heads = 1,
                     .queries = length,
                     .keys = length,
                     .head_dim = kWidth,
                     .backward = mode == "bwd",
                     .selected = kWindow + (ratio > 0 ? chosen : 0)};
  add_attention(table, row, op, seconds, "ms");
}

const TableLayout kAttentionTables[] = {
    {{"batch_size", "seq_len", "num_heads", "head_dim", "latency_us"}, read_sweep},
    {{"op", "peak_tflops", "efficiency", "batch", "seq_len", "head_num", "kv_head_num", "qk_head_dim", "v_head_dim"},
     read_share},
    {{"op", "num_heads", "compress_ratio", "batch_size", "seq_len", "prefix_len", "latency_us"}, read_sparse},
    {{"num_heads", "index_topk", "compress_ratio", "batch_size", "seq_len", "mode", "ms"}, read_training},
    {{"batch", "heads", "kv_heads", "queries", "keys", "head_dim", "causal", "backward", "time_us"},
     read_measured_attention},
};

}  // namespace

void read_attentions(const MeasuredTable& table) {
  const TableLayout* layout = layout_of(
      table, kAttentionTables,
      "batch,heads,kv_heads,queries,keys,head_dim,causal,backward,time_us, or one of those that calibrating.md lists");
  if (!layout) return;
  table.set.dimensions = {"batch", "heads", "kv_heads", "keys", "head_dim"};
  table.set.only_grouped = 1;  // a width left out lies outside the surfaces of the others
  for (size_t row : table.file.rows) layout->read(table, row);
}

}  // namespace operator_models
