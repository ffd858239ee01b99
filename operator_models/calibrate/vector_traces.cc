#include <algorithm>
#include <iterator>

#include "operator_models/calibrate/trace_shapes.h"
#include "operator_models/calibrate/vector_shapes.h"

namespace operator_models {
namespace {

constexpr double kLeastElements = 1 << 18;  // a mebibyte of fp32

/// What the end or the inside of a target says: modules are named by the model, functions by PyTorch.
struct TargetName {
  std::string_view part, name;
};
constexpr TargetName kTargets[] = {
    {"LayerNorm", "ln"},       {"layer_norm", "ln"},     {".ln_", "ln"},
    {"softmax", "softmax"},    {"dropout", "dropout"},   {"gelu", "gelu"},
    {"activation_fn", "relu"}, {"method tanh", "tanh"},  {"function add>", "add"},
    {"function sub>", "sub"},  {"function mul>", "mul"}, {"function truediv>", "div"},
};

/// The name, and for arithmetic whether the second operand is a scalar ("addu").
const VectorName* name_of(const std::string& target, const std::vector<TensorShape>& inputs, double size) {
  const auto found = std::find_if(std::begin(kTargets), std::end(kTargets),
                                  [&](const TargetName& t) { return target.find(t.part) != std::string::npos; });
  if (found == std::end(kTargets)) return nullptr;
  const VectorName* name = find_vector_name(found->name);
  if (name->kind != VectorKind::elementwise) return name;
  const auto whole = std::count_if(inputs.begin(), inputs.end(), [&](auto& s) { return elements(s) == size; });
  return whole >= 2 ? name : find_vector_name(std::string(found->name) + "u");
}

}  // namespace

std::vector<TracedKernel> traced_operators(const TableColumns& columns, size_t row) {
  const auto inputs = tensor_shapes(columns.text(row, "input_shapes"));
  const auto output = tensor_shapes(columns.text(row, "output_shape"));
  if (!inputs || !output || output->size() != 1 || columns.text(row, "dtype") != "torch.float32") return {};
  const double size = elements(output->front());
  const VectorName* name = name_of(columns.text(row, "target"), *inputs, size);
  const bool no_backward = columns.text(row, "bw_ms") == "0.0";
  if (!name || size < kLeastElements || (no_backward && name->kind == VectorKind::dropout)) return {};
  std::vector<TracedKernel> traced;
  for (bool backward : {false, true}) {
    const std::string_view column = backward ? "bw_ms" : "fw_ms";
    if (backward && (no_backward || name->backward_reads == 0)) continue;
    const auto seconds = columns.seconds(row, column);
    if (!seconds) continue;
    TracedKernel t{vector_of(*name, size, 4, output->front().back(), backward), *seconds, std::string(name->name),
                   column};
    t.op.called = true;
    traced.push_back(std::move(t));
  }
  return traced;
}

}  // namespace operator_models
