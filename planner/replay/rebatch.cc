#include "planner/replay/rebatch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "planner/trace/inputs.h"

namespace planner::replay {
namespace {

using trace::ExecutionNode;
using trace::Shape;
using trace::Tensor;

/// Layers of PyTorch, and which of their inputs has the batch first.
struct LayerRow {
  std::string_view name;
  size_t input;
};
constexpr std::array kLayers{LayerRow{"aten::linear", 0}, LayerRow{"aten::addmm", 1}, LayerRow{"aten::conv2d", 0},
                             LayerRow{"aten::convolution", 0}};

std::vector<trace::OperatorInput> shapes_of(const trace::Execution& execution, const ExecutionNode& node) {
  if (node.shapes == trace::kNone) return {};
  return trace::inputs_of(execution.names[node.shapes], "");
}

class Rebatcher {
 public:
  Rebatcher(trace::Execution& execution, int64_t batch, int64_t to, int64_t ranks)
      : execution_(execution),
        batch_(batch),
        all_(batch * ranks),
        factor_(static_cast<double>(to) / static_cast<double>(batch)) {}

  // In the order of their begins: a tensor is of the batch before it is taken.
  void run() {
    std::vector<size_t> order(execution_.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](size_t i) { return execution_.nodes[i].id; });
    for (const size_t i : order) find(execution_.nodes[i]);
    for (ExecutionNode& node : execution_.nodes) change(node);
  }

 private:
  using Key = std::pair<uint64_t, uint64_t>;
  static Key key_of(const Tensor& tensor) { return {tensor.number, tensor.storage}; }
  bool is_batched(const Tensor& tensor) const { return batched_.contains(key_of(tensor)); }
  bool begins_with_batch(const Shape& shape) const {
    return !shape.empty() && (shape.front() == batch_ || shape.front() == all_);
  }

  void find(const ExecutionNode& node) {
    for (const trace::OperatorInput& input : shapes_of(execution_, node))
      for (const Shape& shape : input.tensors)
        for (const Tensor& tensor : node.inputs)
          if (begins_with_batch(shape) && trace::elements_of(shape) == static_cast<double>(tensor.elements))
            batched_.insert(key_of(tensor));
    for (const Tensor& out : node.outputs)
      if (std::ranges::any_of(node.inputs, [&](const Tensor& in) {
            return is_batched(in) && (in.storage == out.storage || in.elements == out.elements);
          }))
        batched_.insert(key_of(out));
  }

  void change(ExecutionNode& node) {
    std::set<int64_t> sizes;  // of tensors that change
    for (const Tensor& tensor : node.inputs)
      if (is_batched(tensor)) sizes.insert(tensor.elements);
    if (!sizes.empty()) change_shapes(node, sizes);
    for (auto* tensors : {&node.inputs, &node.outputs})
      for (Tensor& tensor : *tensors)
        if (is_batched(tensor)) tensor.elements = scaled(tensor.elements);
  }

  int64_t scaled(int64_t size) const { return std::max<int64_t>(1, std::llround(static_cast<double>(size) * factor_)); }

  void change_shapes(ExecutionNode& node, const std::set<int64_t>& sizes) {
    std::vector<std::string> inputs;
    for (trace::OperatorInput& input : shapes_of(execution_, node)) {
      std::vector<std::string> texts;
      for (Shape& shape : input.tensors) {
        if (!shape.empty() && sizes.contains(static_cast<int64_t>(trace::elements_of(shape))))
          shape.front() = scaled(shape.front());
        texts.push_back(fmt::format("[{}]", fmt::join(shape, ", ")));
      }
      inputs.push_back(texts.size() == 1 ? texts.front() : fmt::format("[{}]", fmt::join(texts, ", ")));
    }
    node.shapes = execution_.names.number(fmt::format("[{}]", fmt::join(inputs, ", ")));
  }

  trace::Execution& execution_;
  const int64_t batch_, all_;
  const double factor_;
  std::set<Key> batched_;
};

}  // namespace

int64_t batch_of(const trace::Execution& execution) {
  std::map<int64_t, size_t> counts;
  for (const ExecutionNode& node : execution.nodes) {
    const auto* const row = std::ranges::find(kLayers, execution.name(node), &LayerRow::name);
    if (row == kLayers.end()) continue;
    const std::vector<trace::OperatorInput> inputs = shapes_of(execution, node);
    if (row->input < inputs.size() && !inputs[row->input].tensors.front().empty())
      ++counts[inputs[row->input].tensors.front().front()];
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
  return most == counts.end() ? 0 : most->first;
}

void rebatch(trace::Execution& execution, int64_t batch, int64_t to, int64_t ranks) {
  Rebatcher(execution, batch, to, ranks).run();
}

}  // namespace planner::replay
