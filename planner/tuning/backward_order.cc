#include "planner/tuning/backward_order.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace planner::tuning {
namespace {

bool is_backward(const Block& block, int op) {
  return op >= 0 && block.ops[static_cast<size_t>(op)].phase == StepPhase::backward;
}

// The place of its forward operator; an operator without one, such as communication, has the place of its input.
int place_of(const Block& block, int number, const std::vector<int>& places) {
  const WorkOp& op = block.ops[static_cast<size_t>(number)];
  if (op.forward >= 0) return op.forward;
  int place = -1;
  for (const int input : op.inputs)
    if (is_backward(block, input)) place = std::max(place, places[static_cast<size_t>(input)]);
  return place;
}

}  // namespace

std::vector<int> backward_order(const Block& block) {
  const int count = static_cast<int>(block.ops.size());
  std::vector<int> missing(block.ops.size()), places(block.ops.size(), -1), order;
  std::vector<std::vector<int>> readers(block.ops.size());
  std::priority_queue<std::pair<int, int>> ready;  // the place, and the operator counted from the end
  const auto is_ready = [&](int op) {
    places[static_cast<size_t>(op)] = place_of(block, op, places);
    ready.emplace(places[static_cast<size_t>(op)], count - op);
  };
  for (int op = 0; op < count; ++op) {
    if (!is_backward(block, op)) continue;
    for (const int input : block.ops[static_cast<size_t>(op)].inputs) {
      if (!is_backward(block, input)) continue;
      ++missing[static_cast<size_t>(op)];
      readers[static_cast<size_t>(input)].push_back(op);
    }
  }
  for (int op = 0; op < count; ++op)
    if (is_backward(block, op) && missing[static_cast<size_t>(op)] == 0) is_ready(op);
  while (!ready.empty()) {
    const int op = count - ready.top().second;
    ready.pop();
    order.push_back(op);
    for (const int reader : readers[static_cast<size_t>(op)])
      if (--missing[static_cast<size_t>(reader)] == 0) is_ready(reader);
  }
  return order;
}

}  // namespace planner::tuning
