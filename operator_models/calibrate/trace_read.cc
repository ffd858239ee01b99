#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "operator_models/calibrate/readers.h"
#include "operator_models/calibrate/trace_shapes.h"

namespace operator_models {
namespace {

enum class Form { none, linear, product, lookup, vector };

/// How a module or function of PyTorch is recognised. The first row that fits is taken.
struct TargetRow {
  const char* part;  // of the target's name
  bool at_end;       // its last part
  Form form;
  VectorKind kind = VectorKind::elementwise;
};
constexpr std::array kTargets{
    TargetRow{"layer_norm", false, Form::vector, VectorKind::normalization},
    TargetRow{"LayerNorm", false, Form::vector, VectorKind::normalization},
    TargetRow{".ln_", false, Form::vector, VectorKind::normalization},
    TargetRow{"drop", false, Form::vector, VectorKind::dropout},
    TargetRow{"embed", false, Form::lookup},
    TargetRow{".wte", true, Form::lookup},
    TargetRow{".wpe", true, Form::lookup},
    TargetRow{"softmax", false, Form::vector, VectorKind::softmax},
    TargetRow{"gelu", false, Form::vector, VectorKind::activation},
    TargetRow{"activation", false, Form::vector, VectorKind::activation},
    TargetRow{"method tanh", false, Form::vector, VectorKind::activation},
    TargetRow{"method addmm", false, Form::product},
    TargetRow{"method matmul", false, Form::product},
    TargetRow{"method bmm", false, Form::product},
    TargetRow{"function add", false, Form::vector, VectorKind::elementwise},
    TargetRow{"function mul", false, Form::vector, VectorKind::elementwise},
    TargetRow{"function truediv", false, Form::vector, VectorKind::elementwise},
    TargetRow{"query", true, Form::linear},
    TargetRow{"key", true, Form::linear},
    TargetRow{"value", true, Form::linear},
    TargetRow{"dense", true, Form::linear},
    TargetRow{"decoder", true, Form::linear},
    TargetRow{"_proj", true, Form::linear},
    TargetRow{".fc1", true, Form::linear},
    TargetRow{".fc2", true, Form::linear},
    TargetRow{"lm_head", true, Form::linear},
};

const TargetRow* recognised(const std::string& target) {
  const auto fits = [&](const TargetRow& row) {
    return row.at_end ? target.ends_with(row.part) : target.find(row.part) != std::string::npos;
  };
  const auto found = std::find_if(kTargets.begin(), kTargets.end(), fits);
  return found == kTargets.end() ? nullptr : &*found;
}

/// Passes over its elements that a kernel reads and writes, forward and backward (0: not costed). Backward reads the
/// gradient and what the forward pass saved; a dropout mask has one byte an element. PyTorch's softmax backward first
/// multiplies gradient and result; its dropout backward widens the mask, multiplies and scales, a kernel each.
struct PassTraffic {
  VectorKind kind;
  double read, written, read_back, written_back;
};
constexpr std::array kTraffic{
    PassTraffic{VectorKind::normalization, 1, 1, 2, 1}, PassTraffic{VectorKind::softmax, 1, 1, 4, 2},
    PassTraffic{VectorKind::activation, 1, 1, 2, 1},    PassTraffic{VectorKind::dropout, 1, 1.25, 3.25, 3},
    PassTraffic{VectorKind::elementwise, 0, 1, 0, 0},  // reads what its inputs hold
};

struct TraceRow {
  std::string name;
  const TargetRow* target = nullptr;
  std::vector<TensorShape> inputs;
  TensorShape output;
  double element = 4;  // bytes
};

double leading(const TensorShape& shape, size_t last) {
  double product = 1;
  for (size_t i = 0; i + last < shape.size(); ++i) product *= real(shape[i]);
  return product;
}

/// The forward product of a row: X[tokens, k] W[k, n], or batches of A[m, k] B[k, n].
std::optional<Gemm> product_of(const TraceRow& row, Precision precision) {
  Gemm g{.precision = precision, .a_bytes = row.element, .b_bytes = row.element, .c_bytes = row.element};
  if (row.output.size() < 2) return std::nullopt;
  g.n = row.output.back();
  if (row.target->form == Form::linear) {
    if (row.inputs.empty() || row.inputs[0].size() < 2) return std::nullopt;
    g.m = static_cast<int64_t>(leading(row.inputs[0], 1));
    g.k = row.inputs[0].back();
    return g;
  }
  const size_t first = row.inputs.size() == 3 ? 1 : 0;  // addmm: the bias comes first
  if (row.inputs.size() < first + 2 || row.inputs[first].size() < 2) return std::nullopt;
  g.batch = static_cast<int64_t>(leading(row.output, 2));
  g.m = row.output[row.output.size() - 2];
  g.k = row.inputs[first].back();
  return g;
}

std::optional<Vector> kernel_of(const TraceRow& row, bool backward) {
  const auto traffic =
      std::find_if(kTraffic.begin(), kTraffic.end(), [&](const PassTraffic& t) { return t.kind == row.target->kind; });
  const double n = elements(row.output);
  Vector v{.kind = row.target->kind, .elements = n, .width = row.output.back(), .backward = backward};
  double read = backward ? traffic->read_back * n : traffic->read * n;
  if (!backward && traffic->read == 0)
    for (const TensorShape& input : row.inputs) read += elements(input);
  v.read = {row.element * read};
  v.written = {row.element * n * (backward ? traffic->written_back : traffic->written)};
  if (backward && traffic->written_back == 0) return std::nullopt;
  return v;
}

/// The forward operator, or those of the backward pass: of a product the gradients of both factors.
std::vector<Operator> operators_of(const TraceRow& row, Precision precision, bool backward) {
  switch (row.target->form) {
    case Form::linear:
    case Form::product: {
      const auto g = product_of(row, precision);
      if (!g) return {};
      if (!backward) return {*g};
      Gemm left = *g, right = *g;
      left.n = g->k, left.k = g->n;
      right.m = g->k, right.k = g->m;
      return {left, right};
    }
    case Form::lookup:  // backward's time holds a dense gradient of the table
      if (backward || row.output.size() < 2) return {};
      return {Lookup{.rows = static_cast<int64_t>(leading(row.output, 1)),
                     .width = row.output.back(),
                     .bytes_per_element = row.element}};
    default:
      if (const auto v = kernel_of(row, backward)) return {*v};
      return {};
  }
}

/// From here on an operator fills the accelerators of today (small bases: fits.h).
constexpr double kLargeFlops = 3e10, kLargeElements = 16e6;

std::string kind_word(const Operator& op) {
  if (const Gemm* g = std::get_if<Gemm>(&op)) return gemm_flops(*g) >= kLargeFlops ? "large gemm" : "gemm";
  const Vector* v = std::get_if<Vector>(&op);
  if (!v) return kind_of(op);
  return v->elements >= kLargeElements ? std::string("large ") + name(v->kind) : name(v->kind);
}

class TraceReader {
 public:
  explicit TraceReader(const MeasuredTable& table) : table_(table), columns_(table.columns) {}

  void read() {
    if (!one_gpu()) return;
    for (size_t row : table_.file.rows) {
      TraceRow trace{.name = columns_.text(row, "name"), .target = recognised(columns_.text(row, "target"))};
      if (!trace.target || !shapes(row, trace) || is_small(trace) || idle(row, trace)) {
        table_.pass_over();
        continue;
      }
      const auto precision = precision_of(row, trace);
      for (const bool backward : {false, true}) add(row, trace, operators_of(trace, precision, backward), backward);
    }
  }

 private:
  static constexpr double kSmallest = 1e4;  // elements; below it a row is bookkeeping

  /// What reads a tensor without elements computes nothing.
  static bool is_small(const TraceRow& trace) {
    const auto is_empty = [](const TensorShape& shape) { return elements(shape) == 0; };
    return elements(trace.output) < kSmallest || std::ranges::any_of(trace.inputs, is_empty);
  }

  /// Dropout does nothing in a forward-only run.
  bool idle(size_t row, const TraceRow& trace) const {
    return trace.target->form == Form::vector && trace.target->kind == VectorKind::dropout &&
           dsl::cell_number(columns_.text(row, "bw_ms")) == 0;
  }

  bool one_gpu() {
    if (!columns_.has("gpu") || table_.file.rows.empty()) return true;
    const std::string& first = columns_.text(table_.file.rows[0], "gpu");
    for (size_t row : table_.file.rows) {
      const std::string& other = columns_.text(row, "gpu");
      if (other == first) continue;
      table_.diagnostics.error(columns_.place(row, "gpu"), fmt::format("rows of '{}' and of '{}'", first, other),
                               fmt::format("one machine at a time: --where 'gpu == \"{}\"'", first));
      return false;
    }
    return true;
  }

  bool shapes(size_t row, TraceRow& trace) {
    const auto inputs = tensor_shapes(columns_.text(row, "input_shapes"));
    const auto output = tensor_shapes(columns_.text(row, "output_shape"));
    if (!inputs)
      table_.diagnostics.error(columns_.place(row, "input_shapes"), "expected tensor shapes such as [[8, 512]]");
    if (!output)
      table_.diagnostics.error(columns_.place(row, "output_shape"), "expected a tensor shape such as (8, 512)");
    if (!inputs || !output) return false;
    trace.inputs = *inputs;
    trace.output = output->front();
    return true;
  }

  Precision precision_of(size_t row, TraceRow& trace) const {
    const std::string& type = columns_.text(row, "dtype");
    const Precision precision = type.ends_with("float32")    ? Precision::fp32
                                : type.ends_with("bfloat16") ? Precision::bf16
                                : type.ends_with("float16")  ? Precision::fp16
                                                             : table_.task.precision;
    trace.element = wide_bytes(precision);
    return precision;
  }

  /// The operators of a pass, each with an equal part of its time.
  void add(size_t row, const TraceRow& trace, const std::vector<Operator>& ops, bool backward) {
    const char *column = backward ? "bw_ms" : "fw_ms", *pass = backward ? "backward" : "forward";
    for (const Operator& op : ops) {
      if (dsl::cell_number(columns_.text(row, column)) == 0) return;  // a forward-only run
      const auto seconds = columns_.seconds(row, column);
      if (!seconds) continue;
      table_.add(row, column, op, *seconds * (1.0 / real(ops.size())),
                 {columns_.text(row, "run"), kind_word(op), pass});
      table_.set.samples.back().name = trace.name + (backward ? "-back" : "");
    }
  }

  const MeasuredTable& table_;
  const TableColumns& columns_;
};

}  // namespace

void read_iterations(const MeasuredTable& table) {
  if (!table.columns.has_all({"name", "target", "input_shapes", "output_shape", "fw_ms", "bw_ms"}))
    return table.columns.unknown_layout("name,target,input_shapes,output_shape,dtype,fw_ms,bw_ms");
  if (table.set.dimensions.empty()) {
    table.set.dimensions = {"run", "op", "pass"};
    table.set.only_grouped = 2;  // a kind of operator that the base lacks is not projected at all
  }
  TraceReader(table).read();
}

}  // namespace operator_models
