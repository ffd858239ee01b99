#include "planner/trace/dependencies.h"

#include <algorithm>
#include <map>
#include <utility>

namespace planner::trace {
namespace {

class Makers {
 public:
  explicit Makers(const Execution& execution) : execution_(execution), places_(places_of(execution)) {}

  std::vector<Dependency> find() {
    for (const uint32_t place : by_begin(execution_)) {
      const ExecutionNode& node = execution_.nodes[place];
      std::vector<uint32_t> makers;
      for (const Tensor& tensor : node.inputs)
        if (const uint32_t maker = maker_of(node, tensor); maker != kNone) makers.push_back(maker);
      std::ranges::sort(makers, {}, [&](uint32_t maker) { return execution_.nodes[maker].id; });
      makers.erase(std::unique(makers.begin(), makers.end()), makers.end());
      for (const uint32_t maker : makers) found_.push_back({maker, place});
      for (const Tensor& tensor : node.outputs)
        if (is_filled(tensor)) makers_[{tensor.number, tensor.storage}].push_back(place);
    }
    return std::move(found_);
  }

 private:
  bool is_filled(const Tensor& tensor) const { return !execution_.names[tensor.device].empty(); }

  uint32_t maker_of(const ExecutionNode& node, const Tensor& tensor) const {
    const auto made = makers_.find({tensor.number, tensor.storage});
    if (made == makers_.end() || !is_filled(tensor)) return kNone;
    for (auto maker = made->second.rbegin(); maker != made->second.rend(); ++maker)
      if (!runs_in(node, *maker)) return *maker;
    return kNone;
  }

  // Whether a node runs in another, which began before it.
  bool runs_in(const ExecutionNode& node, uint32_t other) const {
    const uint64_t id = execution_.nodes[other].id;
    const ExecutionNode* at = &node;
    while (at->id > id) {
      const uint32_t around = around_of(execution_, places_, *at);
      if (around == kNone) return false;
      at = &execution_.nodes[around];
    }
    return at->id == id;
  }

  const Execution& execution_;
  const std::unordered_map<uint64_t, uint32_t> places_;
  std::map<std::pair<uint64_t, uint64_t>, std::vector<uint32_t>> makers_;  // by tensor, in the order of ids
  std::vector<Dependency> found_;
};

}  // namespace

std::vector<Dependency> tensor_dependencies(const Execution& execution) { return Makers(execution).find(); }

std::vector<Dependency> backward_dependencies(const Execution& execution) {
  std::map<std::pair<int64_t, int64_t>, uint32_t> forward;  // by thread and sequence number
  std::vector<Dependency> found;
  const std::vector<uint32_t> order = by_begin(execution);
  for (const uint32_t place : order) {
    const ExecutionNode& node = execution.nodes[place];
    if (node.sequence >= 0 && node.scope != kBackwardScope) forward[{node.thread, node.sequence}] = place;
  }
  for (const uint32_t place : order) {
    const ExecutionNode& node = execution.nodes[place];
    if (node.sequence < 0 || node.scope != kBackwardScope || node.forward_thread <= 0) continue;
    const auto of = forward.find({node.forward_thread, node.sequence});
    if (of != forward.end() && execution.nodes[of->second].id < node.id) found.push_back({of->second, place});
  }
  return found;
}

}  // namespace planner::trace
