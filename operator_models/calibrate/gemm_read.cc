#include "operator_models/calibrate/gemm_read.h"

#include <fmt/format.h>

#include <algorithm>

#include "operator_models/calibrate/columns.h"
#include "operator_models/calibrate/vidur.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

/// What a row says besides its sizes.
struct Said {
  std::optional<Precision> precision;  // none: no arithmetic that the catalogue knows (int8)
  GemmPass pass = GemmPass::forward;
  bool accumulate = false, wide_result = false;  // C is added to; C in fp32
  std::string op, model;
};

class GemmReader {
 public:
  GemmReader(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
             dsl::Diagnostics& diagnostics)
      : columns(file.table, diagnostics),
        task_(task),
        machine_(machine),
        file_(file),
        set_(set),
        diagnostics_(diagnostics) {}

  std::string file_name() const { return file_.source->name.substr(file_.source->name.rfind('/') + 1); }
  const Machine& machine() const { return machine_; }
  Precision asked() const { return task_.precision; }
  void pass_over() { ++set_.passed_over; }

  /// One measured operator; `sizes` are read, `seconds` is positive, `place` that of its time.
  void add(size_t row, const Gemm& sizes, const Said& said, double seconds, dsl::Span place) {
    if (said.precision) seen_ = said.precision;
    if (said.precision != task_.precision) return pass_over();
    matched_ = true;
    Gemm op = sizes;
    op.precision = task_.precision;
    op.pass = said.pass;
    op.accumulate = said.accumulate;
    op.a_bytes = op.b_bytes = operand_bytes(op.precision);
    op.c_bytes = said.wide_result ? 4 : std::max(2.0, op.a_bytes);
    const double flops = 2.0 * real(op.batch) * real(op.m) * real(op.n) * real(op.k);
    if (above_peak(flops, seconds, op.precision, machine_, place, diagnostics_)) return;
    set_.samples.push_back(
        {op,
         seconds,
         {std::to_string(op.m), std::to_string(op.n), std::to_string(op.k), name(op.pass), said.op, said.model},
         file_.counted[row] != 0,
         place});
  }

  /// Every row was of another precision: the user asked for the wrong one.
  void finish() {
    if (matched_ || !seen_) return;
    diagnostics_.error(file_.table.header[0].span, fmt::format("no row is in {}", name(task_.precision)),
                       fmt::format("--precision {}", name(*seen_)));
  }

  const Columns columns;

 private:
  const Task& task_;
  const Machine& machine_;
  const DataFile& file_;
  SampleSet& set_;
  dsl::Diagnostics& diagnostics_;
  std::optional<Precision> seen_;
  bool matched_ = false;
};

bool is_true(const std::string& text) { return text == "True" || text == "true" || text == "1"; }

std::optional<Precision> precision_of(const std::string& text) {
  const auto names = hw_profiles::words(Precision{});
  for (size_t i = 0; i < names.size(); ++i)
    if (text == names[i]) return static_cast<Precision>(i);
  return std::nullopt;
}

/// BLAS letters of A and B, the names of the passes, and the stages of grouped GEMMs.
GemmPass pass_of(const std::string& text) {
  if (text == "dgrad" || text == "NN" || text == "bwd_grad_act") return GemmPass::dgrad;
  if (text == "wgrad" || text == "NT" || text == "bwd_grad_w") return GemmPass::wgrad;
  return GemmPass::forward;
}

Said say_plain(const GemmReader& r, size_t row) {
  const std::string& written = r.columns.text(row, "precision");
  return {.precision = written.empty() ? r.asked() : precision_of(written),
          .pass = pass_of(r.columns.text(row, "layout")),
          .accumulate = is_true(r.columns.text(row, "accumulate")),
          .wide_result = r.columns.text(row, "out_dtype") == "fp32",
          .op = r.columns.text(row, "op"),
          .model = ""};
}
Said say_neusight(const GemmReader& r, size_t row) {
  return {.precision = Precision::fp32, .op = r.columns.text(row, "op"), .model = ""};
}
/// Columns first: its A is the weight, and C has a row per feature.
Said say_deepbench(const GemmReader& r, size_t row) {
  const bool a = r.columns.text(row, "a_trans") == "T", b = r.columns.text(row, "b_trans") == "T";
  return {
      .precision = r.columns.text(row, "sheet").find("FP16") == std::string::npos ? Precision::fp32 : Precision::fp16,
      .pass = a   ? GemmPass::dgrad
              : b ? GemmPass::wgrad
                  : GemmPass::forward,
      .op = "",
      .model = ""};
}
/// The best kernel of a tuner; devices are told apart by their compute units.
Said say_aiter(const GemmReader& r, size_t row) {
  Said said{.precision = std::nullopt, .op = r.columns.text(row, "family"), .model = ""};
  const std::string& type = r.columns.text(row, "dt");
  if (r.columns.text(row, "cu_num") != std::to_string(r.machine().gpu.compute_units)) return said;
  if (type == "bf16") said.precision = Precision::bf16;
  else if (said.op == "a8w8_blockscale") said.precision = Precision::mxfp8;
  else if (type.starts_with("float8") || type == "fp8") said.precision = Precision::fp8;
  return said;
}

/// A table with one shape and one time in a row.
struct GemmColumns {
  const char* name;
  std::vector<std::string_view> marks;  // columns that tell it from the others
  const char *batch, *m, *n, *k;        // batch: one where the table has no such column
  Said (*say)(const GemmReader&, size_t row);
};
// The first whose marks and sizes a table has.
const GemmColumns kGemmTables[] = {
    {"neusight", {"op", "grid_x"}, "B", "M", "N", "K", say_neusight},
    {"aiter", {"gfx", "cu_num", "family", "dt"}, "", "M", "N", "K", say_aiter},
    {"deepbench", {"sheet", "a_trans", "b_trans"}, "", "n", "m", "k", say_deepbench},
    {"simumax", {"layout", "out_dtype"}, "b", "m", "n", "k", say_plain},
    {"plain", {}, "batch", "m", "n", "k", say_plain},
};

const GemmColumns* layout_of(const Columns& columns) {
  for (const GemmColumns& l : kGemmTables)
    if (columns.has_all(l.marks) && columns.has_all({l.m, l.n, l.k})) return &l;
  return nullptr;
}

void read_rows(const GemmColumns& layout, const std::string& time, const DataFile& file, GemmReader& reader) {
  const Columns& columns = reader.columns;
  for (size_t row : file.rows) {
    const auto batch = columns.has(layout.batch) ? columns.count(row, layout.batch) : std::optional<int64_t>(1);
    const auto m = columns.count(row, layout.m), n = columns.count(row, layout.n), k = columns.count(row, layout.k);
    const auto seconds = columns.seconds(row, time);
    if (!batch || !m || !n || !k || !seconds) continue;
    reader.add(row, {.batch = *batch, .m = *m, .n = *n, .k = *k}, layout.say(reader, row), *seconds,
               columns.place(row, time));
  }
}

/// simumax's grouped GEMMs print a share of the peak in place of a time.
void read_grouped(const DataFile& file, GemmReader& reader) {
  const Columns& columns = reader.columns;
  for (size_t row : file.rows) {
    const auto groups = columns.count(row, "ng"), m = columns.count(row, "M"), n = columns.count(row, "N"),
               k = columns.count(row, "K");
    const auto peak = columns.positive(row, "peak_tflops"), share = columns.positive(row, "efficiency");
    if (!groups || !m || !n || !k || !peak || !share) continue;
    const double flops = 2.0 * real(*groups) * real(*m) * real(*n) * real(*k);
    const Said said{.precision = precision_of(columns.text(row, "dtype")),
                    .pass = pass_of(columns.text(row, "stage")),
                    .accumulate = is_true(columns.text(row, "accumulate")),
                    .op = "grouped",
                    .model = ""};
    reader.add(row, {.batch = *groups, .m = *m, .n = *n, .k = *k}, said, flops / (*peak * 1e12 * *share),
               columns.place(row, "efficiency"));
  }
}

/// vidur: the linear layers of one transformer block on one of `tp` GPUs; an empty cell is a layer the model lacks.
void read_layers(const DataFile& file, GemmReader& reader) {
  const Columns& columns = reader.columns;
  for (size_t row : file.rows) {
    const auto block = read_vidur_block(columns, row);
    if (!block) continue;
    const int64_t tp = block->workers, width = block->hidden, head = block->head_dim;
    const struct {
      const char* column;
      int64_t n, k;
    } layers[] = {{"attn_pre_proj_ms", (block->heads + 2 * block->kv_heads) * head / tp, width},
                  {"attn_post_proj_ms", width, block->heads * head / tp},
                  {"mlp_up_proj_ms", (block->gated ? 2 : 1) * block->ffn / tp, width},
                  {"mlp_down_proj_ms", width, block->ffn / tp}};
    for (const auto& layer : layers) {
      if (columns.text(row, layer.column).empty()) continue;
      const auto seconds = columns.seconds(row, layer.column);
      if (!seconds) continue;
      const Said said{.precision = reader.asked(), .op = layer.column, .model = reader.file_name()};
      reader.add(row, {.m = block->tokens, .n = layer.n, .k = layer.k}, said, *seconds,
                 columns.place(row, layer.column));
    }
  }
}

}  // namespace

void read_gemms(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                dsl::Diagnostics& diagnostics) {
  if (set.dimensions.empty()) set.dimensions = {"m", "n", "k", "pass", "op", "model"};
  GemmReader reader(file, task, machine, set, diagnostics);
  const Columns& columns = reader.columns;
  const auto time = columns.time_column({"latency", "time", "us", "seconds"});
  const GemmColumns* layout = layout_of(columns);
  if (columns.has_all({kVidurColumns.begin(), kVidurColumns.end()})) read_layers(file, reader);
  else if (columns.has_all({"ng", "M", "N", "K", "peak_tflops", "efficiency", "stage"})) read_grouped(file, reader);
  else if (layout && time) read_rows(*layout, *time, file, reader);
  else return columns.unknown_layout("m,n,k and a time such as latency_us");
  if (!diagnostics.has_errors()) reader.finish();
}

bool above_peak(double flops, double seconds, Precision precision, const Machine& machine, dsl::Span place,
                dsl::Diagnostics& diagnostics) {
  const double peak = matrix_peak(machine.gpu, precision).peak.value;
  if (flops / seconds <= peak) return false;
  diagnostics.error(place,
                    fmt::format("{:.4g} TFLOP/s is above the {} peak of {}, {:.4g} TFLOP/s", flops / seconds / 1e12,
                                name(precision), machine.gpu.name, peak / 1e12),
                    "--precision and --gpu say what was measured where no column does");
  return true;
}

}  // namespace operator_models
