#include "planner/replay/kernel_shapes.h"

#include <algorithm>
#include <array>

#include "operator_models/models.h"
#include "planner/replay/kernel_work.h"
#include "planner/trace/data_types.h"
#include "planner/trace/inputs.h"

namespace planner::replay {
namespace {

using hw_profiles::Precision;
using operator_models::Attention;
using operator_models::Gemm;
using operator_models::Operator;
using trace::OperatorInput;
using trace::Shape;

/// What the kernels of an operator compute, from its inputs from the first that matters on. nullopt: they do not fit.
using Typed = std::optional<Operator>;
struct Operands {
  const OperatorInput* first = nullptr;
  const Shape& operator[](size_t i) const { return first[i].tensors.front(); }
};

Gemm gemm_of(int64_t batch, int64_t m, int64_t n, int64_t k) {
  Gemm gemm;
  gemm.batch = batch;
  gemm.m = m;
  gemm.n = n;
  gemm.k = k;
  return gemm;
}

// A [..., m, k] and B [..., k, n].
Typed product(Operands in) {
  const Shape &a = in[0], &b = in[1];
  const size_t dims = a.size();
  if (dims < 2 || dims > 3 || b.size() != dims || a[dims - 1] != b[dims - 2]) return {};
  return gemm_of(dims == 3 ? a[0] : 1, a[dims - 2], b[dims - 1], b[dims - 2]);
}

// OperatorInput [..., k] and weight [n, k].
Typed linear(Operands in) {
  const Shape &x = in[0], &weight = in[1];
  if (x.empty() || weight.size() != 2 || x.back() != weight[1] || weight[1] == 0) return {};
  return gemm_of(1, static_cast<int64_t>(trace::elements_of(x)) / weight[1], weight[0], weight[1]);
}

int64_t places(const Shape& shape) {
  return static_cast<int64_t>(trace::elements_of({shape.begin() + 2, shape.end()}));
}

// OperatorInput [images, channels, places...] and weight [outputs, channels of a group, places of the kernel...].
Typed convolved(const Shape& in, const Shape& weight, int64_t outputs) {
  if (in.size() < 3 || weight.size() != in.size() || weight[1] == 0 || in[1] % weight[1] != 0) return {};
  if (trace::elements_of(in) == 0 || trace::elements_of(weight) == 0) return {};
  const int64_t groups = std::max<int64_t>(1, in[1] / weight[1]);
  return gemm_of(groups, in[0] * outputs, weight[0] / groups, weight[1] * places(weight));
}
Typed convolution(Operands in) {
  return in[0].size() < 3 || trace::elements_of(in[0]) == 0 ? Typed{} : convolved(in[0], in[1], places(in[0]));
}
// Gradient of the output, input, weight.
Typed convolution_gradient(Operands in) {
  return in[0].size() < 3 || trace::elements_of(in[0]) == 0 ? Typed{} : convolved(in[1], in[2], places(in[0]));
}

/// Q, K and V of [batch, heads, length, width].
Typed attended(const Shape& q, const Shape& k, const Shape& v, bool backward) {
  if (q.size() != 4 || k.size() != 4 || v.size() != 4) return {};
  Attention attention;
  attention.kernel = "sdpa";
  attention.batch = q[0];
  attention.heads = q[1];
  attention.kv_heads = k[1];
  attention.queries = q[2];
  attention.keys = k[2];
  attention.head_dim = q[3];
  attention.value_dim = v[3];
  attention.causal = false;
  attention.backward = backward;
  return attention;
}
Typed attention(Operands in) { return attended(in[0], in[1], in[2], false); }
Typed attention_gradient(Operands in) { return attended(in[1], in[2], in[3], true); }
// The same of [batch, length, heads, width].
Shape heads_first(Shape shape) {
  if (shape.size() == 4) std::swap(shape[1], shape[2]);
  return shape;
}
Typed flash(Operands in) { return attended(heads_first(in[0]), heads_first(in[1]), heads_first(in[2]), false); }
Typed flash_gradient(Operands in) { return attended(heads_first(in[1]), heads_first(in[2]), heads_first(in[3]), true); }

/// Operators of PyTorch (aten/src/ATen/native/native_functions.yaml): their relevant inputs, and the meaning of these.
struct ProductRow {
  std::string_view name;
  size_t first, inputs;
  Typed (*typed)(Operands);
  bool unfolded = false;  // a convolution
};
constexpr std::array kOperators{
    ProductRow{"aten::mm", 0, 2, product},
    ProductRow{"aten::addmm", 1, 2, product},
    ProductRow{"aten::_addmm_activation", 1, 2, product},
    ProductRow{"aten::bmm", 0, 2, product},
    ProductRow{"aten::baddbmm", 1, 2, product},
    ProductRow{"aten::_scaled_mm", 0, 2, product},
    ProductRow{"aten::linear", 0, 2, linear},
    ProductRow{"aten::cudnn_convolution", 0, 2, convolution, true},
    ProductRow{"aten::miopen_convolution", 0, 2, convolution, true},
    ProductRow{"aten::_convolution", 0, 2, convolution, true},
    ProductRow{"aten::convolution", 0, 2, convolution, true},
    ProductRow{"aten::convolution_backward", 0, 3, convolution_gradient, true},
    ProductRow{"aten::_flash_attention_forward", 0, 3, flash},
    ProductRow{"aten::_efficient_attention_forward", 0, 3, flash},
    ProductRow{"aten::_scaled_dot_product_flash_attention", 0, 3, attention},
    ProductRow{"aten::_scaled_dot_product_efficient_attention", 0, 3, attention},
    ProductRow{"aten::_scaled_dot_product_cudnn_attention", 0, 3, attention},
    ProductRow{"aten::_flash_attention_backward", 0, 4, flash_gradient},
    ProductRow{"aten::_efficient_attention_backward", 0, 4, flash_gradient},
    ProductRow{"aten::_scaled_dot_product_flash_attention_backward", 0, 4, attention_gradient},
    ProductRow{"aten::_scaled_dot_product_efficient_attention_backward", 0, 4, attention_gradient},
    ProductRow{"aten::_scaled_dot_product_cudnn_attention_backward", 0, 4, attention_gradient},
};

void set_precision(Operator& op, Precision precision) {
  if (auto* attention = std::get_if<Attention>(&op)) attention->precision = precision;
  if (auto* gemm = std::get_if<Gemm>(&op)) {
    gemm->precision = precision;
    gemm->a_bytes = gemm->b_bytes = gemm->c_bytes = operator_models::operand_bytes(precision);
  }
}

/// The type of the inputs, but that tensor cores may read single precision as tf32: the kernel's name says so.
std::optional<Precision> precision_of(const OperatorInput& input, std::string_view kernel) {
  const std::optional<Precision> precision = trace::precision_of_type(input.type);
  const bool reads_tf32 = precision == Precision::fp32 && precision_of_kernel(kernel) == Precision::tf32;
  return reads_tf32 ? Precision::tf32 : precision;
}

Typed typed_by(const ProductRow& row, const std::vector<OperatorInput>& inputs, std::string_view kernel) {
  if (inputs.size() < row.first + row.inputs) return {};
  for (size_t i = 0; i < row.inputs; ++i)
    if (inputs[row.first + i].tensors.size() != 1) return {};
  const std::optional<Precision> precision = precision_of(inputs[row.first], kernel);
  Typed typed = precision ? row.typed({&inputs[row.first]}) : Typed{};
  if (typed) set_precision(*typed, *precision);
  return typed;
}

/// null: the operator is not in the table.
const ProductRow* row_of(std::string_view name) {
  const auto* const row = std::ranges::find(kOperators, name, &ProductRow::name);
  return row == kOperators.end() ? nullptr : row;
}

}  // namespace

bool multiplies(std::string_view name) { return row_of(name) != nullptr; }

size_t first_operand(std::string_view name) {
  const ProductRow* row = row_of(name);
  return row ? row->first : 0;
}

std::optional<Shaped> KernelShapes::of(size_t kernel) const {
  const uint32_t call = rank_.launched_by[kernel];
  if (call == trace::kNone) return std::nullopt;
  for (const trace::Event* around : operators_.around(rank_.events[call].lane, rank_.events[call].start_ns)) {
    const ProductRow* const row = trace::says_inputs(rank_, *around) ? row_of(rank_.name(*around)) : nullptr;
    if (!row) continue;
    if (Typed typed = typed_by(*row, trace::inputs_of(rank_, *around), rank_.name(rank_.events[kernel])))
      return Shaped{*std::move(typed), around, row->unfolded};
  }
  return std::nullopt;
}

}  // namespace planner::replay
