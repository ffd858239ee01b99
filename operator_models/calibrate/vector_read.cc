#include "operator_models/calibrate/vector_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "operator_models/calibrate/columns.h"
#include "operator_models/calibrate/vector_shapes.h"
#include "operator_models/calibrate/vector_traces.h"
#include "operator_models/calibrate/vidur.h"

namespace operator_models {
namespace {

constexpr size_t kModel = 2;  // of the dimensions

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Where the samples of a file go, and what it says about all of them.
struct VectorReader {
  const DataFile& file;
  const Task& task;
  const Columns& columns;
  SampleSet& set;
  dsl::Diagnostics& diagnostics;

  void add(size_t row, Operator op, double seconds, const std::string& name, int64_t rows, int64_t width,
           std::string_view column) const {
    set.samples.push_back({std::move(op),
                           seconds,
                           {std::to_string(rows), std::to_string(width), base_name(file.source->name), name},
                           file.counted[row] != 0,
                           columns.place(row, column)});
  }
};

double task_bytes(const Task& task) {
  return task.precision == Precision::fp32 || task.precision == Precision::tf32 ? 4 : 2;
}

const VectorName* named(const VectorReader& r, size_t row) {
  const std::string& op = r.columns.text(row, "op");
  if (const VectorName* name = find_vector_name(op)) return name;
  r.diagnostics.error(r.columns.place(row, "op"), fmt::format("unknown operator '{}'", op),
                      "expected one of " + vector_names());
  return nullptr;
}

/// NeuSight's sweeps: fp32, calls of eager PyTorch.
void read_sweep(const VectorReader& r, size_t row) {
  const VectorName* name = named(r, row);
  const auto rows = r.columns.count(row, "B"), width = r.columns.count(row, "H");
  const auto seconds = r.columns.seconds(row, "latency_ms");
  if (!name || !rows || !width || !seconds) return;
  Vector op = vector_of(*name, real(*rows) * real(*width), 4, *width, false);
  op.called = true;
  r.add(row, op, *seconds, r.columns.text(row, "op"), *rows, *width, "latency_ms");
}

/// LLMCompass names the operator in the file's name alone.
const VectorName* name_of_file(const VectorReader& r) {
  const std::string file = base_name(r.file.source->name);
  for (const char* op : {"layernorm", "softmax", "gelu", "relu", "tanh"})
    if (file.find(op) != std::string::npos) return find_vector_name(op);
  r.diagnostics.error(r.columns.place(r.file.rows.front(), "gelem_per_s"),
                      "the file's name says no operator (layernorm, softmax, gelu ...)", "as in softmax_fp16_A100.csv");
  return nullptr;
}

/// LLMCompass: elements per second, calls of eager PyTorch.
void read_rate(const VectorReader& r, size_t row) {
  static constexpr std::string_view kRate = "gelem_per_s";
  const VectorName* name = name_of_file(r);
  const bool matrix = r.columns.has("m");
  const auto rows = matrix ? r.columns.count(row, "m") : std::optional<int64_t>(1);
  const auto width = r.columns.count(row, matrix ? "n" : "numel");
  const auto rate = r.columns.positive(row, kRate);
  if (!name || !rows || !width || !rate) return;
  const double elements = real(*rows) * real(*width);
  Vector op = vector_of(*name, elements, task_bytes(r.task), matrix ? *width : 0, false);
  op.called = true;
  r.add(row, op, elements / (*rate * 1e9), std::string(name->name), *rows, *width, kRate);
}

/// One column of Vidur's rows: so many elements of fp16 to a token, read and written.
struct VidurColumn {
  const char* column;
  const char* row;  // name of the samples
  VectorKind kind;
  double read, written;  // elements to a token
  int64_t width;
};

/// Kernels as a profiler times them, whole microseconds; weights and heads are cut by the tensor parallel degree.
void read_vidur(const VectorReader& r, size_t row) {
  const auto block = read_vidur_block(r.columns, row);
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
    if (!r.columns.has(c.column) || r.columns.text(row, c.column).empty()) continue;  // not in this model
    const auto seconds = r.columns.seconds(row, c.column);
    if (!seconds) continue;
    const double t = real(tokens);
    r.add(row, Vector{c.kind, t * c.written, {2 * t * c.read}, {2 * t * c.written}, 1, c.width}, *seconds, c.row,
          tokens, static_cast<int64_t>(c.written), c.column);
  }
  const auto lookup = r.columns.seconds(row, "emb_ms");
  if (lookup) r.add(row, Lookup{.rows = tokens, .width = width}, *lookup, "embedding", tokens, width, "emb_ms");
}

/// The measurement kit: the bytes are said.
void read_plain(const VectorReader& r, size_t row) {
  const auto rows = r.columns.count(row, "rows"), width = r.columns.count(row, "columns");
  const auto precision = r.columns.precision(row, r.task.precision);
  const auto backward = r.columns.flag(row, "backward");
  const auto read = r.columns.positive(row, "read_bytes"), written = r.columns.amount(row, "written_bytes");
  const auto seconds = r.columns.seconds(row, "time_us");
  if (!rows || !width || !precision || !backward || !read || !written || !seconds) return;
  const std::string& op = r.columns.text(row, "op");
  const double elements = real(*rows) * real(*width);
  const auto add = [&](Operator o) { r.add(row, std::move(o), *seconds, op, *rows, *width, "time_us"); };
  if (op == "embedding") {
    const double bytes = *precision == Precision::fp32 || *precision == Precision::tf32 ? 4 : 2;
    return add(Lookup{.rows = *rows, .width = *width, .bytes_per_element = bytes, .backward = *backward});
  }
  if (op == "adam")
    return add(Update{
        .algorithm = op, .parameters = elements, .read_bytes = *read / elements, .written_bytes = *written / elements});
  if (const VectorName* name = named(r, row))
    add(Vector{.kind = name->kind,
               .elements = elements,
               .read = {*read},
               .written = {*written},
               .width = *width,
               .backward = *backward});
}

/// Kernels that are no convolution are passed over. Its channels are all that a mixer is given for a token: values, and
/// the keys of every group twice (queries and keys; B and C of a state space).
void read_convolution(const VectorReader& r, size_t row) {
  const Columns& c = r.columns;
  if (!c.text(row, "kernel").starts_with("causal_conv1d_fn")) {
    ++r.set.passed_over;
    return;
  }
  const bool states = c.has("d_state");
  const auto batch = c.count(row, "batch_size"), length = c.count(row, "seq_len"), taps = c.count(row, "d_conv");
  const auto heads = c.count(row, states ? "nheads" : "num_v_heads"),
             width = c.count(row, states ? "head_dim" : "head_v_dim"),
             groups = c.count(row, states ? "n_groups" : "num_k_heads"),
             keys = c.count(row, states ? "d_state" : "head_k_dim");
  const auto seconds = c.seconds(row, "latency_us");
  if (!batch || !length || !taps || !heads || !width || !groups || !keys || !seconds) return;
  const int64_t channels = *heads * *width + 2 * *groups * *keys, tokens = *batch * *length;
  const double elements = real(channels) * real(tokens);
  const dsl::Bytes bytes{elements * task_bytes(r.task)};
  const Vector op{.kind = VectorKind::convolution,
                  .elements = elements,
                  .read = bytes,
                  .written = bytes,
                  .flops_per_element = 2 * real(*taps)};
  r.add(row, op, *seconds, "convolution", tokens, channels, "latency_us");
}

/// Before a block the streams are read twice, for their weights and for the sum; behind it they and its result are
/// read, and the streams written (Xie et al., mHC, arXiv:2512.24880, section 4.3).
void read_hyper_connection(const VectorReader& r, size_t row) {
  const std::string& part = r.columns.text(row, "op");
  if (part != "pre" && part != "post") {
    r.diagnostics.error(r.columns.place(row, "op"), fmt::format("unknown part '{}'", part), "expected pre or post");
    return;
  }
  const auto streams = r.columns.count(row, "hc_mult"), width = r.columns.count(row, "hidden_size"),
             tokens = r.columns.count(row, "num_tokens");
  const auto seconds = r.columns.seconds(row, "latency_us");
  if (!streams || !width || !tokens || !seconds) return;
  const double one = real(*tokens) * real(*width) * task_bytes(r.task);
  const double n = real(*streams);
  const bool before = part == "pre";
  const Vector op{.kind = VectorKind::hyper_connection,
                  .elements = real(*tokens) * real(*width) * n,
                  .read = {one * (before ? 2 * n : n + 1)},
                  .written = {one * (before ? 1 : n)}};
  r.add(row, op, *seconds, part, *tokens, *width, "latency_us");
}

/// A trace's rows know their own run, and may hold no kernel of this kind.
void read_trace(const VectorReader& r, size_t row) {
  const auto traced = traced_operators(r.columns, row);
  if (traced.empty()) ++r.set.passed_over;
  for (const Traced& t : traced) {
    r.add(row, t.op, t.seconds, t.name, static_cast<int64_t>(t.op.elements) / t.op.width, t.op.width, t.column);
    r.set.samples.back().values[kModel] = r.columns.text(row, "run");
  }
}

struct VectorColumns {
  std::vector<std::string_view> columns;
  void (*read)(const VectorReader&, size_t);
};
const std::array kVectorTables{
    VectorColumns{{"op", "B", "H", "latency_ms"}, read_sweep},
    VectorColumns{{"m", "n", "gelem_per_s"}, read_rate},
    VectorColumns{{"numel", "gelem_per_s"}, read_rate},
    VectorColumns{{"num_tokens", "num_tensor_parallel_workers", "n_head", "n_kv_head", "n_embd", "n_expanded_embd",
                   "use_gated_mlp", "emb_ms"},
                  read_vidur},
    VectorColumns{{"run", "target", "input_shapes", "output_shape", "fw_ms", "bw_ms"}, read_trace},
    VectorColumns{{"kernel", "phase", "batch_size", "seq_len", "d_conv", "latency_us"}, read_convolution},
    VectorColumns{{"op", "hc_mult", "hidden_size", "num_tokens", "latency_us"}, read_hyper_connection},
    VectorColumns{{"op", "rows", "columns", "backward", "read_bytes", "written_bytes", "time_us"}, read_plain},
};

/// A kind with one operator could not be fitted without it: then operators are grouped, and never left out.
void choose_grouping(SampleSet& set) {
  std::map<std::string, std::set<std::string>> kinds;
  for (const Sample& s : set.samples) kinds[vector_row_name(s.op)].insert(s.values.back());
  set.only_grouped =
      std::any_of(kinds.begin(), kinds.end(), [](const auto& kind) { return kind.second.size() < 2; }) ? 1 : 0;
}

/// Faster than the memory, and too large for the cache: said once for a file, at the fastest.
void warn_beyond_memory(const SampleSet& set, size_t first, const Machine& machine, dsl::Diagnostics& diagnostics) {
  const Sample* fastest = nullptr;
  double most = machine.gpu.memory_bandwidth.value;
  int64_t rows = 0;
  for (size_t i = first; i < set.samples.size(); ++i) {
    const auto* op = std::get_if<Vector>(&set.samples[i].op);
    const double bytes = op ? (op->read + op->written).value : 0, rate = bytes / set.samples[i].seconds;
    if (bytes <= 2 * machine.gpu.cache.value || rate <= machine.gpu.memory_bandwidth.value) continue;
    ++rows;
    if (rate > most) {
      most = rate;
      fastest = &set.samples[i];
    }
  }
  if (fastest)
    diagnostics.warning(fastest->place,
                        fmt::format("{} rows move more than the {:.4g} GB/s of {}, this one {:.4g} GB/s", rows,
                                    machine.gpu.memory_bandwidth.value / 1e9, machine.gpu.name, most / 1e9),
                        "more than its cache explains: another --gpu, --precision or unit?");
}

}  // namespace

std::string vector_row_name(const Operator& op) {
  const auto* vector = std::get_if<Vector>(&op);
  return vector ? name(vector->kind) : kind_of(op);
}

void read_vectors(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                  dsl::Diagnostics& diagnostics) {
  const Columns columns(file.table, diagnostics);
  const auto layout = std::find_if(kVectorTables.begin(), kVectorTables.end(),
                                   [&](const VectorColumns& l) { return columns.has_all(l.columns); });
  if (layout == kVectorTables.end())
    return columns.unknown_layout(
        "op,rows,columns,backward,read_bytes,written_bytes,time_us, or one of those that calibrating.md lists");
  set.dimensions = {"rows", "columns", "model", "op"};
  const size_t first = set.samples.size();
  const VectorReader reader{file, task, columns, set, diagnostics};
  for (size_t row : file.rows) layout->read(reader, row);
  choose_grouping(set);
  warn_beyond_memory(set, first, machine, diagnostics);
}

}  // namespace operator_models
