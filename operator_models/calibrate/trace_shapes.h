// Tensor shapes as traces of PyTorch operators print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace operator_models {

using TensorShape = std::vector<int64_t>;

/// "[[8, 512, 1024], [1]]" -> {{8,512,1024},{1}}; "(8, 512)" -> {{8,512}}; "(1,)" -> {{1}}. None: no such text, or
/// more than 1e15 elements.
std::optional<std::vector<TensorShape>> tensor_shapes(std::string_view text);

double elements(const TensorShape& shape);

}  // namespace operator_models
