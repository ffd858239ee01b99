#include <fmt/format.h>

#include <algorithm>

#include "operator_models/calibrate/readers.h"
#include "operator_models/calibrate/vidur.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

/// Properties of a row other than its sizes.
struct GemmTraits {
  std::optional<Precision> precision;  // none: no arithmetic that the catalogue knows (int8)
  GemmPass pass = GemmPass::forward;
  bool accumulate = false, wide_result = false;  // C is added to; C in fp32
  std::string op, model;
};

class GemmReader {
 public:
  explicit GemmReader(const MeasuredTable& measured) : table(measured) {}

  /// One measured operator; `sizes` are read, `seconds` is positive, `column` that of its time.
  void add(size_t row, const Gemm& sizes, const GemmTraits& traits, double seconds, std::string_view column) {
    const Precision asked = table.task.precision;
    if (traits.precision) seen_ = traits.precision;
    if (traits.precision != asked) return table.pass_over();
    matched_ = true;
    Gemm op = sizes;
    op.precision = asked;
    op.pass = traits.pass;
    op.accumulate = traits.accumulate;
    op.a_bytes = op.b_bytes = operand_bytes(asked);
    op.c_bytes = traits.wide_result ? 4 : std::max(2.0, op.a_bytes);
    if (table.above_peak(row, column, gemm_flops(op), seconds, asked)) return;
    table.add(
        row, column, op, seconds,
        {std::to_string(op.m), std::to_string(op.n), std::to_string(op.k), name(op.pass), traits.op, traits.model});
  }

  /// Every row was of another precision: the user requested the wrong one.
  void finish() const {
    if (matched_ || !seen_) return;
    table.diagnostics.error(table.file.table.header[0].span, fmt::format("no row is in {}", name(table.task.precision)),
                            fmt::format("--precision {}", name(*seen_)));
  }

  const MeasuredTable& table;

 private:
  std::optional<Precision> seen_;
  bool matched_ = false;
};

bool is_true(const std::string& text) { return text == "True" || text == "true" || text == "1"; }

/// BLAS letters of A and B, the names of the passes, and the stages of grouped GEMMs.
GemmPass pass_of(const std::string& text) {
  if (text == "dgrad" || text == "NN" || text == "bwd_grad_act") return GemmPass::dgrad;
  if (text == "wgrad" || text == "NT" || text == "bwd_grad_w") return GemmPass::wgrad;
  return GemmPass::forward;
}

GemmTraits plain_traits(const MeasuredTable& table, size_t row) {
  const auto text = [&](const char* column) -> const std::string& { return table.columns.text(row, column); };
  return {.precision = text("precision").empty() ? table.task.precision : precision_named(text("precision")),
          .pass = pass_of(text("layout")),
          .accumulate = is_true(text("accumulate")),
          .wide_result = text("out_dtype") == "fp32",
          .op = text("op"),
          .model = ""};
}
GemmTraits neusight_traits(const MeasuredTable& table, size_t row) {
  return {.precision = Precision::fp32, .op = table.columns.text(row, "op"), .model = ""};
}
/// Columns first: its A is the weight, and C has a row per feature.
GemmTraits deepbench_traits(const MeasuredTable& table, size_t row) {
  const auto text = [&](const char* column) -> const std::string& { return table.columns.text(row, column); };
  return {.precision = text("sheet").find("FP16") == std::string::npos ? Precision::fp32 : Precision::fp16,
          .pass = text("a_trans") == "T"   ? GemmPass::dgrad
                  : text("b_trans") == "T" ? GemmPass::wgrad
                                           : GemmPass::forward,
          .op = "",
          .model = ""};
}
/// The best kernel of a tuner; devices are distinguished by their compute units.
GemmTraits aiter_traits(const MeasuredTable& table, size_t row) {
  const auto text = [&](const char* column) -> const std::string& { return table.columns.text(row, column); };
  GemmTraits traits{.precision = std::nullopt, .op = text("family"), .model = ""};
  const std::string& type = text("dt");
  if (text("cu_num") != std::to_string(table.machine.gpu.compute_units)) return traits;
  if (type == "bf16") traits.precision = Precision::bf16;
  else if (traits.op == "a8w8_blockscale") traits.precision = Precision::mxfp8;
  else if (type.starts_with("float8") || type == "fp8") traits.precision = Precision::fp8;
  return traits;
}

/// A table with one shape and one time in a row.
struct GemmColumns {
  const char* name;
  std::vector<std::string_view> marks;  // columns that identify it
  const char *batch, *m, *n, *k;        // batch: one where the table has no such column
  GemmTraits (*traits)(const MeasuredTable&, size_t row);
};
// The first whose marks and sizes a table has.
const GemmColumns kGemmTables[] = {
    {"neusight", {"op", "grid_x"}, "B", "M", "N", "K", neusight_traits},
    {"aiter", {"gfx", "cu_num", "family", "dt"}, "", "M", "N", "K", aiter_traits},
    {"deepbench", {"sheet", "a_trans", "b_trans"}, "", "n", "m", "k", deepbench_traits},
    {"simumax", {"layout", "out_dtype"}, "b", "m", "n", "k", plain_traits},
    {"plain", {}, "batch", "m", "n", "k", plain_traits},
};

const GemmColumns* layout_of(const TableColumns& columns) {
  for (const GemmColumns& l : kGemmTables)
    if (columns.has_all(l.marks) && columns.has_all({l.m, l.n, l.k})) return &l;
  return nullptr;
}

void read_rows(const GemmColumns& layout, const std::string& time, GemmReader& reader) {
  const MeasuredTable& table = reader.table;
  for (size_t row : table.file.rows) {
    RowCells cells = table.cells(row);
    const Gemm op{.batch = cells.has(layout.batch) ? cells.count(layout.batch) : 1,
                  .m = cells.count(layout.m),
                  .n = cells.count(layout.n),
                  .k = cells.count(layout.k)};
    const double seconds = cells.seconds(time);
    if (cells.whole()) reader.add(row, op, layout.traits(table, row), seconds, time);
  }
}

/// simumax's grouped GEMMs print a share of the peak in place of a time.
void read_grouped(GemmReader& reader) {
  for (size_t row : reader.table.file.rows) {
    RowCells cells = reader.table.cells(row);
    const Gemm op{.batch = cells.count("ng"), .m = cells.count("M"), .n = cells.count("N"), .k = cells.count("K")};
    const double peak = cells.positive("peak_tflops"), share = cells.positive("efficiency");
    if (!cells.whole()) continue;
    const GemmTraits traits{.precision = precision_named(cells.text("dtype")),
                            .pass = pass_of(cells.text("stage")),
                            .accumulate = is_true(cells.text("accumulate")),
                            .op = "grouped",
                            .model = ""};
    reader.add(row, op, traits, gemm_flops(op) / (peak * 1e12 * share), "efficiency");
  }
}

/// vidur: the linear layers of one transformer block on one of `tp` GPUs; an empty cell is a layer the model lacks.
void read_layers(GemmReader& reader) {
  const MeasuredTable& table = reader.table;
  for (size_t row : table.file.rows) {
    const auto block = read_vidur_block(table.columns, row);
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
      if (table.columns.text(row, layer.column).empty()) continue;
      const auto seconds = table.columns.seconds(row, layer.column);
      if (!seconds) continue;
      const GemmTraits traits{.precision = table.task.precision, .op = layer.column, .model = table.file_name()};
      reader.add(row, {.m = block->tokens, .n = layer.n, .k = layer.k}, traits, *seconds, layer.column);
    }
  }
}

}  // namespace

void read_gemms(const MeasuredTable& table) {
  if (table.set.dimensions.empty()) table.set.dimensions = {"m", "n", "k", "pass", "op", "model"};
  GemmReader reader(table);
  const TableColumns& columns = table.columns;
  const auto time = columns.time_column({"latency", "time", "us", "seconds"});
  const GemmColumns* layout = layout_of(columns);
  if (columns.has_all({kVidurColumns.begin(), kVidurColumns.end()})) read_layers(reader);
  else if (columns.has_all({"ng", "M", "N", "K", "peak_tflops", "efficiency", "stage"})) read_grouped(reader);
  else if (layout && time) read_rows(*layout, *time, reader);
  else return columns.unknown_layout("m,n,k and a time such as latency_us");
  if (!table.diagnostics.has_errors()) reader.finish();
}

}  // namespace operator_models
