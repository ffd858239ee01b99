#include "operator_models/calibrate/attention_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "operator_models/attention_shape.h"
#include "operator_models/calibrate/columns.h"

namespace operator_models {
namespace {

/// What a layout reads of one row; none where a cell is wrong.
struct Measured {
  Attention op;
  double seconds = 0;
  const char* column = "";  // where the time stands
};

/// The kernel when neither a column nor --kernel says it: one that was measured on this machine, else flash2.
std::string usual_kernel(const Machine& machine) {
  for (const auto& [name, row] : machine.calibration.attention)
    if (!row.table.empty()) return name;
  return machine.calibration.attention.count("flash2") ? "flash2" : "default";
}

/// aiconfigurator: queries are keys. Its tables of language models name KV heads, are causal and include writing the
/// KV cache; those of vision encoders name none, and see the whole square. A window of 0 means that there is no window.
std::optional<Measured> read_sweep(const Columns& columns, size_t row, const Task& task) {
  const bool decoder = columns.has("num_kv_heads");
  const auto batch = columns.count(row, "batch_size"), length = columns.count(row, "seq_len"),
             heads = columns.count(row, "num_heads"), width = columns.count(row, "head_dim");
  const auto kv_heads = decoder ? columns.count(row, "num_kv_heads") : heads;
  const auto seconds = columns.seconds(row, "latency_us");
  const bool causal = columns.has("causal") ? columns.flag(row, "causal").value_or(false) : decoder;
  const auto window = columns.has("window_size") ? columns.amount(row, "window_size") : std::optional(0.0);
  if (!batch || !length || !heads || !width || !kv_heads || !seconds || !window) return std::nullopt;
  return Measured{{.kernel = task.kernel,
                   .batch = *batch,
                   .heads = *heads,
                   .kv_heads = *kv_heads,
                   .queries = *length,
                   .keys = *length,
                   .head_dim = *width,
                   .causal = causal,
                   .precision = task.precision,
                   .window = static_cast<int64_t>(*window),
                   .cached = decoder},
                  *seconds,
                  "latency_us"};
}

/// SimuMax: a share of a peak, counted on the whole square although the kernel is causal (shares above 1).
std::optional<Measured> read_share(const Columns& columns, size_t row, const Task& task) {
  const auto batch = columns.count(row, "batch"), length = columns.count(row, "seq_len"),
             heads = columns.count(row, "head_num"), kv_heads = columns.count(row, "kv_head_num"),
             width = columns.count(row, "qk_head_dim"), value = columns.count(row, "v_head_dim");
  const auto peak = columns.positive(row, "peak_tflops"), share = columns.positive(row, "efficiency");
  if (!batch || !length || !heads || !kv_heads || !width || !value || !peak || !share) return std::nullopt;
  Attention op{.kernel = task.kernel,
               .batch = *batch,
               .heads = *heads,
               .kv_heads = *kv_heads,
               .queries = *length,
               .keys = *length,
               .head_dim = *width,
               .backward = columns.text(row, "op").ends_with("bwd"),
               .precision = task.precision,
               .value_dim = *value};
  const double square = real(*length) * real(*length);
  const double flops = 4 * real(*batch) * real(*heads) * head_width(op) * square * (op.backward ? kBackwardGemms : 1);
  return Measured{op, flops / (*peak * 1e12 * *share), "efficiency"};
}

/// The layout of the measurement kit.
std::optional<Measured> read_plain(const Columns& columns, size_t row, const Task& task) {
  const auto batch = columns.count(row, "batch"), heads = columns.count(row, "heads"),
             kv_heads = columns.count(row, "kv_heads"), queries = columns.count(row, "queries"),
             keys = columns.count(row, "keys"), width = columns.count(row, "head_dim");
  const auto causal = columns.flag(row, "causal"), backward = columns.flag(row, "backward");
  const auto precision = columns.precision(row, task.precision);
  const auto seconds = columns.seconds(row, "time_us");
  if (!batch || !heads || !kv_heads || !queries || !keys || !width || !causal || !backward || !precision || !seconds)
    return std::nullopt;
  return Measured{{.kernel = columns.has("kernel") ? columns.text(row, "kernel") : task.kernel,
                   .batch = *batch,
                   .heads = *heads,
                   .kv_heads = *kv_heads,
                   .queries = *queries,
                   .keys = *keys,
                   .head_dim = *width,
                   .causal = *causal,
                   .backward = *backward,
                   .precision = *precision},
                  *seconds,
                  "time_us"};
}

/// Kernels of sparse attention over latent keys (aiconfigurator): one key head for all query heads. Rows of other
/// kernels of the table are passed over.
struct SparseKernel {
  const char* op;
  int64_t head_dim, value_dim;
  int64_t selected;  // keys that are chosen
  int64_t window;    // keys that are seen besides: the nearest, and all compressed ones where none are chosen
};
constexpr SparseKernel kSparseKernels[] = {
    {"glm5_dsa_attn", 576, 512, 2048, 0},  // FlashMLA, DeepSeek-V3.2's heads
    {"dsv4_hca_attn", 512, 512, 0, 128},   // DeepSeek-V4: heavily compressed, all of them
};

std::optional<Measured> read_sparse(const Columns& columns, size_t row, const Task&) {
  const std::string& name = columns.text(row, "op");
  const auto kernel = std::ranges::find(kSparseKernels, name, &SparseKernel::op);
  if (kernel == std::end(kSparseKernels)) return Measured{};
  const auto heads = columns.count(row, "num_heads"), ratio = columns.count(row, "compress_ratio"),
             batch = columns.count(row, "batch_size"), queries = columns.count(row, "seq_len");
  const auto prefix = columns.amount(row, "prefix_len"), seconds = columns.seconds(row, "latency_us");
  if (!heads || !ratio || !batch || !queries || !prefix || !seconds) return std::nullopt;
  const int64_t keys = *queries + static_cast<int64_t>(*prefix);
  return Measured{{.kernel = kSelectedKernel,
                   .batch = *batch,
                   .heads = *heads,
                   .kv_heads = 1,
                   .queries = *queries,
                   .keys = keys,
                   .head_dim = kernel->head_dim,
                   .value_dim = kernel->value_dim,
                   .selected = kernel->window + (kernel->selected > 0 ? kernel->selected : keys / *ratio)},
                  *seconds,
                  "latency_us"};
}

/// DeepSeek-V4's attention in training (Primus): a window of 128, and where keys are compressed by 4 the chosen ones.
std::optional<Measured> read_training(const Columns& columns, size_t row, const Task&) {
  constexpr int64_t kWindow = 128, kWidth = 512;
  const auto heads = columns.count(row, "num_heads"), chosen = columns.count(row, "index_topk"),
             batch = columns.count(row, "batch_size"), length = columns.count(row, "seq_len");
  const auto ratio = columns.amount(row, "compress_ratio"), seconds = columns.seconds(row, "ms");
  const std::string& mode = columns.text(row, "mode");
  if (mode != "fwd" && mode != "bwd")
    return columns.wrong(row, "mode", fmt::format("'{}' is no pass; expected fwd or bwd", mode));
  if (!heads || !chosen || !batch || !length || !ratio || !seconds) return std::nullopt;
  return Measured{{.kernel = kSelectedKernel,
                   .batch = *batch,
                   .heads = *heads,
                   .kv_heads = 1,
                   .queries = *length,
                   .keys = *length,
                   .head_dim = kWidth,
                   .backward = mode == "bwd",
                   .selected = kWindow + (*ratio > 0 ? *chosen : 0)},
                  *seconds,
                  "ms"};
}

struct AttentionColumns {
  std::vector<std::string_view> columns;
  std::optional<Measured> (*read)(const Columns&, size_t, const Task&);
};
const std::array kAttentionTables{
    AttentionColumns{{"batch_size", "seq_len", "num_heads", "head_dim", "latency_us"}, read_sweep},
    AttentionColumns{
        {"op", "peak_tflops", "efficiency", "batch", "seq_len", "head_num", "kv_head_num", "qk_head_dim", "v_head_dim"},
        read_share},
    AttentionColumns{{"op", "num_heads", "compress_ratio", "batch_size", "seq_len", "prefix_len", "latency_us"},
                     read_sparse},
    AttentionColumns{{"num_heads", "index_topk", "compress_ratio", "batch_size", "seq_len", "mode", "ms"},
                     read_training},
    AttentionColumns{{"batch", "heads", "kv_heads", "queries", "keys", "head_dim", "causal", "backward", "time_us"},
                     read_plain},
};

/// More FLOP/s than the datasheet's dense peak, on the pairs that the mask leaves.
bool above_peak(const Measured& m, const Machine& machine, dsl::Span place, dsl::Diagnostics& diagnostics) {
  const double width = 4 * real(m.op.batch) * real(m.op.heads) * head_width(m.op);
  const double flops = width * executed_pairs(m.op, 1) * (m.op.backward ? kBackwardGemms : 1);
  const double peak = matrix_peak(machine.gpu, m.op.precision).peak.value;
  if (flops / m.seconds <= peak) return false;
  diagnostics.error(place,
                    fmt::format("{:.4g} TFLOP/s is above the {} peak of {}, {:.4g} TFLOP/s", flops / m.seconds / 1e12,
                                name(m.op.precision), machine.gpu.name, peak / 1e12),
                    "--precision and --gpu say what was measured where no column does");
  return true;
}

std::vector<std::string> values_of(const Attention& op) {
  return {std::to_string(op.batch), std::to_string(op.heads), std::to_string(op.kv_heads), std::to_string(op.keys),
          std::to_string(op.head_dim)};
}

}  // namespace

void read_attentions(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                     dsl::Diagnostics& diagnostics) {
  const Columns columns(file.table, diagnostics);
  const auto layout = std::find_if(kAttentionTables.begin(), kAttentionTables.end(),
                                   [&](const AttentionColumns& l) { return columns.has_all(l.columns); });
  if (layout == kAttentionTables.end())
    return columns.unknown_layout(
        "batch,heads,kv_heads,queries,keys,head_dim,causal,backward,time_us, or one of those that calibrating.md "
        "lists");
  set.dimensions = {"batch", "heads", "kv_heads", "keys", "head_dim"};
  set.only_grouped = 1;  // a width left out lies outside the surfaces of the others
  const std::string usual = task.kernel.empty() ? usual_kernel(machine) : task.kernel;
  for (size_t row : file.rows) {
    auto measured = layout->read(columns, row, task);
    if (!measured) continue;
    if (measured->seconds == 0) {
      ++set.passed_over;  // a table of several operators
      continue;
    }
    if (!task.kernel.empty() && measured->op.kernel != task.kernel) {
      ++set.passed_over;  // a table of several kernels, of which one was asked for
      continue;
    }
    if (measured->op.kernel.empty()) measured->op.kernel = usual;
    const dsl::Span place = columns.place(row, measured->column);
    if (above_peak(*measured, machine, place, diagnostics)) continue;
    set.samples.push_back({measured->op, measured->seconds, values_of(measured->op), file.counted[row] != 0, place});
  }
}

}  // namespace operator_models
