#include "planner/replay/moved_rows.h"

#include <algorithm>
#include <iterator>

namespace planner::replay {
namespace {

// Relu launches clamp_min. Of two tensors of one type on one device that lie alike, copy_ launches no kernel.
constexpr MovedRow kRows[] = {
    {"native_layer_norm", "layernorm", "023", "0", false, 2},
    {"native_layer_norm_backward", "layernorm", "01345", "156", true, 5},
    {"_fused_rms_norm", "rmsnorm", "02", "0", false, 2},
    {"_fused_rms_norm_backward", "rmsnorm", "0134", "14", true, 4},
    {"_softmax", "softmax", "0", "0"},
    {"_log_softmax", "softmax", "0", "0"},
    {"_softmax_backward_data", "softmax", "01", "0", true},
    {"_log_softmax_backward_data", "softmax", "01", "0", true},
    {"gelu", "gelu", "0", "0"},
    {"gelu_backward", "gelu", "01", "0", true},
    {"relu", "relu", "0", "0"},
    {"clamp_min", "relu", "0", "0"},
    {"threshold_backward", "relu", "01", "0", true},
    {"tanh", "tanh", "0", "0"},
    {"tanh_backward", "tanh", "01", "0", true},
    {"silu", "silu", "0", "0"},
    {"silu_backward", "silu", "01", "0", true},
    {"sigmoid", "activation", "0", "0"},
    {"sigmoid_backward", "activation", "01", "0", true},
    {"leaky_relu", "activation", "0", "0"},
    {"leaky_relu_backward", "activation", "01", "0", true},
    {"native_dropout", "dropout", "0", "0b"},
    {"native_dropout_backward", "dropout", "01", "0", true},
    {"add", "add", "01", "*"},
    {"sub", "sub", "01", "*"},
    {"rsub", "sub", "01", "*"},
    {"mul", "mul", "01", "*"},
    {"div", "div", "01", "*"},
    {"pow", "pow", "01", "*"},
    {"addcmul", "elementwise", "012", "*"},
    {"addcdiv", "elementwise", "012", "*"},
    {"lerp", "elementwise", "012", "*"},
    {"where", "elementwise", "012", "*"},
    {"masked_fill", "elementwise", "01", "0"},
    {"maximum", "elementwise", "01", "*"},
    {"minimum", "elementwise", "01", "*"},
    {"clamp", "elementwise", "0", "0"},
    {"sqrt", "elementwise", "0", "0"},
    {"rsqrt", "elementwise", "0", "0"},
    {"reciprocal", "elementwise", "0", "0"},
    {"exp", "elementwise", "0", "0"},
    {"log", "elementwise", "0", "0"},
    {"neg", "elementwise", "0", "0"},
    {"abs", "elementwise", "0", "0"},
    {"sin", "elementwise", "0", "0"},
    {"cos", "elementwise", "0", "0"},
    {"eq", "elementwise", "01", "b"},
    {"ne", "elementwise", "01", "b"},
    {"gt", "elementwise", "01", "b"},
    {"ge", "elementwise", "01", "b"},
    {"lt", "elementwise", "01", "b"},
    {"le", "elementwise", "01", "b"},
    {"copy_", "cast", "1", "0", false, MovedRow::kLastSize, "permutation"},
    {"sum", "reduction", "0", ""},
    {"mean", "reduction", "0", ""},
    {"amax", "reduction", "0", ""},
    {"amin", "reduction", "0", ""},
    {"norm", "reduction", "0", ""},
    {"linalg_vector_norm", "reduction", "0", ""},
    {"_fused_adam_", "adam", "01234", "0234"},
    {"_fused_adamw_", "adam", "01234", "0234"},
};
constexpr LookupRow kLookups[] = {{"embedding"}, {"embedding_dense_backward", true}};
constexpr std::string_view kSpace = "aten::", kLists = "_foreach_";

template <class Row, size_t count> const Row* named(const Row (&rows)[count], std::string_view name) {
  const Row* const row = std::ranges::find(rows, name, &Row::name);
  return row == std::end(rows) ? nullptr : row;
}

}  // namespace

FoundRow moved_row(std::string_view name) {
  if (!name.starts_with(kSpace)) return {};
  name.remove_prefix(kSpace.size());
  if (name.starts_with(kLists)) name.remove_prefix(kLists.size());
  if (const MovedRow* row = named(kRows, name)) return {row, false};
  if (!name.ends_with('_')) return {};
  name.remove_suffix(1);
  const MovedRow* const row = named(kRows, name);
  return {row, row != nullptr};
}

const LookupRow* lookup_row(std::string_view name) {
  return name.starts_with(kSpace) ? named(kLookups, name.substr(kSpace.size())) : nullptr;
}

}  // namespace planner::replay
