#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "operator_models/calibrate/readers.h"
#include "operator_models/calibrate/vector_shapes.h"
#include "operator_models/calibrate/vidur.h"

namespace operator_models {
namespace {

constexpr size_t kModel = 2;  // of the dimensions

void add_kernel(const MeasuredTable& table, size_t row, Operator op, double seconds, const std::string& name,
                int64_t rows, int64_t width, std::string_view column) {
  table.add(row, column, std::move(op), seconds,
            {std::to_string(rows), std::to_string(width), table.file_name(), name});
}

const VectorName* named(const MeasuredTable& table, size_t row) {
  const std::string& op = table.columns.text(row, "op");
  if (const VectorName* name = find_vector_name(op)) return name;
  table.diagnostics.error(table.columns.place(row, "op"), fmt::format("unknown operator '{}'", op),
                          "expected one of " + vector_names());
  return nullptr;
}

/// NeuSight's sweeps: fp32, calls of eager PyTorch.
void read_eager_sweep(const MeasuredTable& table, size_t row) {
  const VectorName* name = named(table, row);
  RowCells cells = table.cells(row);
  const int64_t rows = cells.count("B"), width = cells.count("H");
  const double seconds = cells.seconds("latency_ms");
  if (!name || !cells.whole()) return;
  Vector op = vector_of(*name, real(rows) * real(width), 4, width, false);
  op.called = true;
  add_kernel(table, row, op, seconds, cells.text("op"), rows, width, "latency_ms");
}

/// LLMCompass names the operator in the file's name alone.
const VectorName* name_of_file(const MeasuredTable& table) {
  const std::string file = table.file_name();
  for (const char* op : {"layernorm", "softmax", "gelu", "relu", "tanh"})
    if (file.find(op) != std::string::npos) return find_vector_name(op);
  table.diagnostics.error(table.columns.place(table.file.rows.front(), "gelem_per_s"),
                          "the file's name says no operator (layernorm, softmax, gelu ...)",
                          "as in softmax_fp16_A100.csv");
  return nullptr;
}

/// LLMCompass: elements per second, calls of eager PyTorch.
void read_rate(const MeasuredTable& table, size_t row) {
  static constexpr std::string_view kRate = "gelem_per_s";
  const VectorName* name = name_of_file(table);
  RowCells cells = table.cells(row);
  const bool matrix = cells.has("m");
  const int64_t rows = matrix ? cells.count("m") : 1, width = cells.count(matrix ? "n" : "numel");
  const double rate = cells.positive(kRate);
  if (!name || !cells.whole()) return;
  const double elements = real(rows) * real(width);
  Vector op = vector_of(*name, elements, wide_bytes(table.task.precision), matrix ? width : 0, false);
  op.called = true;
  add_kernel(table, row, op, elements / (rate * 1e9), std::string(name->name), rows, width, kRate);
}

/// One column of Vidur's rows: numbers of fp16 elements per token, read and written.
struct VidurColumn {
  const char* column;
  const char* row;  // name of the samples
  VectorKind kind;
  double read, written;  // elements to a token
  int64_t width;
};

/// Kernels as a profiler times them, whole microseconds; weights and heads are cut by the tensor parallel degree.
void read_vidur(const MeasuredTable& table, size_t row) {
  const auto block = read_vidur_block(table.columns, row);
  if (!block) return;
  const int64_t tokens = block->tokens, width = block->hidden;
  const double h = real(width), parts = real(block->workers);
  const double f = real(block->ffn) / parts;
  const double qk = real(block->head_dim) * real(block->heads + block->kv_heads) / parts;
  using enum VectorKind;
  for (const VidurColumn& c : {VidurColumn{"input_layernorm_ms", "rmsnorm", normalization, h, h, width},
                               {"post_attention_layernorm_ms", "rmsnorm", normalization, h, h, width},
                               {"attn_rope_ms", "rope", rope, qk, qk, 0},
                               {"mlp_act_ms", "silu", activation, block->gated ? 2 * f : f, f, 0},
                               {"add_ms", "add", elementwise, 2 * h, h, 0}}) {
    if (!table.columns.has(c.column) || table.columns.text(row, c.column).empty()) continue;  // not in this model
    const auto seconds = table.columns.seconds(row, c.column);
    if (!seconds) continue;
    const double t = real(tokens);
    add_kernel(table, row, Vector{c.kind, t * c.written, {2 * t * c.read}, {2 * t * c.written}, 1, c.width}, *seconds,
               c.row, tokens, static_cast<int64_t>(c.written), c.column);
  }
  const auto lookup = table.columns.seconds(row, "emb_ms");
  if (lookup)
    add_kernel(table, row, Lookup{.rows = tokens, .width = width}, *lookup, "embedding", tokens, width, "emb_ms");
}

/// The measurement kit: rows give the bytes.
void read_measured_kernel(const MeasuredTable& table, size_t row) {
  RowCells cells = table.cells(row);
  const int64_t rows = cells.count("rows"), width = cells.count("columns");
  const Precision precision = cells.precision(table.task.precision);
  const bool backward = cells.flag("backward");
  const double read = cells.positive("read_bytes"), written = cells.amount("written_bytes");
  const double seconds = cells.seconds("time_us");
  if (!cells.whole()) return;
  const std::string& op = cells.text("op");
  const double elements = real(rows) * real(width);
  const auto add = [&](Operator o) { add_kernel(table, row, std::move(o), seconds, op, rows, width, "time_us"); };
  if (op == "embedding")
    return add(Lookup{.rows = rows, .width = width, .bytes_per_element = wide_bytes(precision), .backward = backward});
  if (op == "adam")
    return add(Update{
        .algorithm = op, .parameters = elements, .read_bytes = read / elements, .written_bytes = written / elements});
  if (const VectorName* name = named(table, row))
    add(Vector{.kind = name->kind,
               .elements = elements,
               .read = {read},
               .written = {written},
               .width = width,
               .backward = backward});
}

/// Kernels other than convolutions are skipped. Its channels are all of a mixer's inputs for a token: values, and the
/// keys of every group twice (queries and keys; B and C of a state space).
void read_convolution(const MeasuredTable& table, size_t row) {
  RowCells cells = table.cells(row);
  if (!cells.text("kernel").starts_with("causal_conv1d_fn")) return table.pass_over();
  const bool states = cells.has("d_state");
  const int64_t batch = cells.count("batch_size"), length = cells.count("seq_len"), taps = cells.count("d_conv"),
                heads = cells.count(states ? "nheads" : "num_v_heads"),
                width = cells.count(states ? "head_dim" : "head_v_dim"),
                groups = cells.count(states ? "n_groups" : "num_k_heads"),
                keys = cells.count(states ? "d_state" : "head_k_dim");
  const double seconds = cells.seconds("latency_us");
  if (!cells.whole()) return;
  const int64_t channels = heads * width + 2 * groups * keys, tokens = batch * length;
  const double elements = real(channels) * real(tokens);
  const dsl::Bytes bytes{elements * wide_bytes(table.task.precision)};
  const Vector op{.kind = VectorKind::convolution,
                  .elements = elements,
                  .read = bytes,
                  .written = bytes,
                  .flops_per_element = 2 * real(taps)};
  add_kernel(table, row, op, seconds, "convolution", tokens, channels, "latency_us");
}

/// Before a block the streams are read twice, for their weights and for the sum; behind it they and its result are
/// read, and the streams written (Xie et al., mHC, arXiv:2512.24880, section 4.3).
void read_hyper_connection(const MeasuredTable& table, size_t row) {
  RowCells cells = table.cells(row);
  const std::string& part = cells.text("op");
  if (part != "pre" && part != "post")
    return table.diagnostics.error(table.columns.place(row, "op"), fmt::format("unknown part '{}'", part),
                                   "expected pre or post");
  const int64_t streams = cells.count("hc_mult"), width = cells.count("hidden_size"),
                tokens = cells.count("num_tokens");
  const double seconds = cells.seconds("latency_us");
  if (!cells.whole()) return;
  const double one = real(tokens) * real(width) * wide_bytes(table.task.precision), n = real(streams);
  const bool before = part == "pre";
  const Vector op{.kind = VectorKind::hyper_connection,
                  .elements = real(tokens) * real(width) * n,
                  .read = {one * (before ? 2 * n : n + 1)},
                  .written = {one * (before ? 1 : n)}};
  add_kernel(table, row, op, seconds, part, tokens, width, "latency_us");
}

/// A trace's rows know their own run, and may hold no kernel of this kind.
void read_traced_kernels(const MeasuredTable& table, size_t row) {
  const auto traced = traced_operators(table.columns, row);
  if (traced.empty()) table.pass_over();
  for (const TracedKernel& t : traced) {
    const int64_t width = t.op.width, rows = static_cast<int64_t>(t.op.elements) / width;
    add_kernel(table, row, t.op, t.seconds, t.name, rows, width, t.column);
    table.set.samples.back().values[kModel] = table.columns.text(row, "run");
  }
}

const TableLayout kVectorTables[] = {
    {{"op", "B", "H", "latency_ms"}, read_eager_sweep},
    {{"m", "n", "gelem_per_s"}, read_rate},
    {{"numel", "gelem_per_s"}, read_rate},
    {{"num_tokens", "num_tensor_parallel_workers", "n_head", "n_kv_head", "n_embd", "n_expanded_embd", "use_gated_mlp",
      "emb_ms"},
     read_vidur},
    {{"run", "target", "input_shapes", "output_shape", "fw_ms", "bw_ms"}, read_traced_kernels},
    {{"kernel", "phase", "batch_size", "seq_len", "d_conv", "latency_us"}, read_convolution},
    {{"op", "hc_mult", "hidden_size", "num_tokens", "latency_us"}, read_hyper_connection},
    {{"op", "rows", "columns", "backward", "read_bytes", "written_bytes", "time_us"}, read_measured_kernel},
};

/// A kind with one operator could not be fitted without it: then operators are grouped, and never left out.
void choose_grouping(SampleSet& set) {
  std::map<std::string, std::set<std::string>> kinds;
  for (const Sample& s : set.samples) kinds[vector_row_name(s.op)].insert(s.values.back());
  set.only_grouped =
      std::any_of(kinds.begin(), kinds.end(), [](const auto& kind) { return kind.second.size() < 2; }) ? 1 : 0;
}

/// Faster than the memory, and too large for the cache: reported once for a file, at the fastest row.
void warn_beyond_memory(const MeasuredTable& table, size_t first) {
  const hw_profiles::Accelerator& gpu = table.machine.gpu;
  const double bandwidth = gpu.memory_bandwidth.value;
  const Sample* fastest = nullptr;
  double most = bandwidth;
  int64_t rows = 0;
  const std::span<const Sample> added = std::span(table.set.samples).subspan(first);
  for (const Sample& sample : added) {
    const auto* op = std::get_if<Vector>(&sample.op);
    const double bytes = op ? (op->read + op->written).value : 0, rate = bytes / sample.seconds;
    if (bytes <= 2 * gpu.cache.value || rate <= bandwidth) continue;
    ++rows;
    if (rate > most) most = rate, fastest = &sample;
  }
  if (fastest)
    table.diagnostics.warning(fastest->place,
                              fmt::format("{} rows move more than the {:.4g} GB/s of {}, this one {:.4g} GB/s", rows,
                                          bandwidth / 1e9, gpu.name, most / 1e9),
                              "more than its cache explains: another --gpu, --precision or unit?");
}

}  // namespace

void read_vectors(const MeasuredTable& table) {
  const TableLayout* layout =
      layout_of(table, kVectorTables,
                "op,rows,columns,backward,read_bytes,written_bytes,time_us, or one of those that calibrating.md lists");
  if (!layout) return;
  table.set.dimensions = {"rows", "columns", "model", "op"};
  const size_t first = table.set.samples.size();
  for (size_t row : table.file.rows) layout->read(table, row);
  choose_grouping(table.set);
  warn_beyond_memory(table, first);
}

}  // namespace operator_models
