#include "operator_models/calibrate/trace_shapes.h"

#include <charconv>

namespace operator_models {
namespace {

constexpr double kMostElements = 1e15;  // whole numbers as doubles

}  // namespace

std::optional<std::vector<TensorShape>> tensor_shapes(std::string_view text) {
  std::vector<TensorShape> shapes;
  int depth = 0;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '[' || c == '(') {
      // The outer bracket of a list of shapes holds no numbers of its own.
      if (++depth == 1 || shapes.empty() || !shapes.back().empty()) shapes.emplace_back();
      ++i;
    } else if (c == ']' || c == ')') {
      --depth;
      ++i;
    } else if (c == ',' || c == ' ') {
      ++i;
    } else {
      int64_t value = 0;
      const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value);
      if (error != std::errc() || shapes.empty() || depth == 0 || value < 0) return std::nullopt;
      shapes.back().push_back(value);
      if (elements(shapes.back()) > kMostElements) return std::nullopt;
      i = static_cast<size_t>(end - text.data());
      const size_t next = text.find_first_not_of(' ', i);
      if (next != text.find_first_of(",])", i)) return std::nullopt;  // two numbers, and nothing between them
    }
    if (depth < 0 || depth > 2) return std::nullopt;
  }
  if (depth != 0 || shapes.empty()) return std::nullopt;
  return shapes;
}

double elements(const TensorShape& shape) {
  double product = 1;
  for (int64_t d : shape) product *= static_cast<double>(d);
  return product;
}

}  // namespace operator_models
