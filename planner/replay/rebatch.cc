#include "planner/replay/rebatch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "planner/trace/inputs.h"

namespace planner::replay {
namespace {

using trace::ExecutionNode;
using trace::Shape;
using trace::Tensor;

/// Layers of PyTorch, and which of their inputs has the batch first.
struct LayerInputRow {
  std::string_view name;
  size_t input;
};
constexpr std::array kLayers{LayerInputRow{"aten::linear", 0}, LayerInputRow{"aten::addmm", 1},
                             LayerInputRow{"aten::conv2d", 0}, LayerInputRow{"aten::convolution", 0}};

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
  std::string run() {
    for (const ExecutionNode& node : execution_.nodes) keep(node);
    for (const uint32_t i : trace::by_begin(execution_)) find(execution_.nodes[i]);
    for (ExecutionNode& node : execution_.nodes) change(node);
    return wrong_;
  }

 private:
  using Key = std::pair<uint64_t, uint64_t>;
  static Key key_of(const Tensor& tensor) { return {tensor.number, tensor.storage}; }
  // Parameters of layers, and views of them.
  bool is_kept(const Tensor& tensor) const { return kept_.contains(tensor.storage); }
  void keep(const ExecutionNode& node) {
    const auto* const row = std::ranges::find(kLayers, execution_.name(node), &LayerInputRow::name);
    if (row == kLayers.end()) return;
    const std::vector<trace::OperatorInput> inputs = shapes_of(execution_, node);
    if (row->input >= inputs.size() || !begins_with_batch(inputs[row->input].tensors.front())) return;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (i != row->input) kept_.insert(node.inputs[i].storage);
  }
  bool is_batched(const Tensor& tensor) const { return batched_.contains(key_of(tensor)); }
  bool begins_with_batch(const Shape& shape) const {
    return !shape.empty() && (shape.front() == batch_ || shape.front() == all_);
  }

  // Returns the next tensor that a shape fits. Shapes and tensors have the same order; only tensors have sizes.
  static const Tensor* tensor_of(const ExecutionNode& node, const Shape& shape, size_t& at) {
    for (size_t i = at; i < node.inputs.size() && !shape.empty(); ++i)
      if (trace::elements_of(shape) == static_cast<double>(node.inputs[i].elements)) return at = i + 1, &node.inputs[i];
    return nullptr;
  }

  void find(const ExecutionNode& node) {
    size_t at = 0;
    for (const trace::OperatorInput& input : shapes_of(execution_, node))
      for (const Shape& shape : input.tensors)
        if (const Tensor* tensor = tensor_of(node, shape, at); tensor && !is_kept(*tensor) && begins_with_batch(shape))
          batched_.insert(key_of(*tensor));
    for (const Tensor& out : node.outputs)
      if (std::ranges::any_of(node.inputs, [&](const Tensor& in) {
            return !is_kept(out) && is_batched(in) && (in.storage == out.storage || in.elements == out.elements);
          }))
        batched_.insert(key_of(out));
  }

  void change(ExecutionNode& node) {
    if (std::ranges::any_of(node.inputs, [&](const Tensor& tensor) { return is_batched(tensor); })) change_shapes(node);
    for (auto* tensors : {&node.inputs, &node.outputs})
      for (Tensor& tensor : *tensors)
        if (is_batched(tensor)) tensor.elements = scaled(tensor.elements);
  }

  int64_t scaled(int64_t size) {
    const double made = static_cast<double>(size) * factor_;
    if (made <= kMostElements) return std::max<int64_t>(1, std::llround(made));
    wrong_ = fmt::format("'{}': a size of {} would become {:.3g}", execution_.file, size, made);
    return size;
  }

  void change_shapes(ExecutionNode& node) {
    std::vector<std::string> inputs;
    size_t at = 0;
    for (trace::OperatorInput& input : shapes_of(execution_, node)) {
      std::vector<std::string> texts;
      for (Shape& shape : input.tensors) {
        if (const Tensor* tensor = tensor_of(node, shape, at); tensor && is_batched(*tensor))
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
  std::set<uint64_t> kept_;  // storages
  std::string wrong_;
};

}  // namespace

int64_t batch_of(const trace::Execution& execution) {
  std::map<int64_t, size_t> counts;
  for (const ExecutionNode& node : execution.nodes) {
    const auto* const row = std::ranges::find(kLayers, execution.name(node), &LayerInputRow::name);
    if (row == kLayers.end()) continue;
    const std::vector<trace::OperatorInput> inputs = shapes_of(execution, node);
    if (row->input < inputs.size() && !inputs[row->input].tensors.front().empty())
      ++counts[inputs[row->input].tensors.front().front()];
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
  return most == counts.end() ? 0 : most->first;
}

std::string rebatch(trace::Execution& execution, int64_t batch, int64_t to, int64_t ranks) {
  if (static_cast<double>(batch) * static_cast<double>(ranks) > kMostElements)
    return fmt::format("'{}': a batch of {} on {} ranks is too large", execution.file, batch, ranks);
  return Rebatcher(execution, batch, to, ranks).run();
}

}  // namespace planner::replay
