#include "planner/workload/graph.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

namespace planner {
namespace {

std::vector<std::vector<int>> readers(std::span<const WorkOp> ops) {
  std::vector<std::vector<int>> by_writer(ops.size());
  for (size_t i = 0; i < ops.size(); ++i)
    for (int input : ops[i].inputs)
      if (input >= 0) by_writer[static_cast<size_t>(input)].push_back(static_cast<int>(i));
  return by_writer;
}

bool is_forward(const WorkOp& op) { return op.phase == StepPhase::forward; }

/// Only the operators of a pass count: those of the other take no time, and no edge joins the two.
PassPath path_of(std::span<const WorkOp> ops, const std::vector<double>& seconds, bool forward) {
  std::vector<double> of_pass = seconds;
  PassPath pass;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (is_forward(ops[i]) != forward) of_pass[i] = 0;
    pass.seconds += of_pass[i];
  }
  pass.path = longest_path(ops, of_pass);
  if (pass.path.seconds == 0) pass.path.ops.clear();
  return pass;
}

std::vector<SideBySide> groups_of(std::span<const WorkOp> ops, const std::vector<double>& seconds) {
  std::vector<SideBySide> groups;
  std::map<std::pair<StepPhase, int>, size_t> index;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].independent == 0) continue;
    const auto [at, fresh] = index.emplace(std::pair{ops[i].phase, ops[i].independent}, groups.size());
    if (fresh) groups.push_back({.phase = ops[i].phase});
    SideBySide& group = groups[at->second];
    group.ops.push_back(static_cast<int>(i));
    group.seconds += seconds[i];
    group.longest = std::max(group.longest, seconds[i]);
  }
  std::erase_if(groups, [](const SideBySide& group) { return group.ops.size() < 2; });
  return groups;
}

}  // namespace

std::vector<int> topological_order(std::span<const WorkOp> ops) {
  const std::vector<std::vector<int>> by_writer = readers(ops);
  std::vector<int> waiting(ops.size(), 0), order;
  for (const std::vector<int>& list : by_writer)
    for (int reader : list) ++waiting[static_cast<size_t>(reader)];
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (size_t i = 0; i < ops.size(); ++i)
    if (waiting[i] == 0) ready.push(static_cast<int>(i));
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (int reader : by_writer[static_cast<size_t>(order.back())])
      if (--waiting[static_cast<size_t>(reader)] == 0) ready.push(reader);
  }
  return order;
}

OperatorPath longest_path(std::span<const WorkOp> ops, std::span<const double> seconds) {
  std::vector<double> until(ops.size(), 0);  // the end of each operator
  std::vector<int> before(ops.size(), -1);   // on the longest way to it
  int last = -1;
  for (int number : topological_order(ops)) {
    const auto at = static_cast<size_t>(number);
    for (int input : ops[at].inputs)
      if (input >= 0 && (before[at] < 0 || until[static_cast<size_t>(input)] > until[static_cast<size_t>(before[at])]))
        before[at] = input;
    until[at] = (before[at] < 0 ? 0 : until[static_cast<size_t>(before[at])]) + seconds[at];
    if (last < 0 || until[at] > until[static_cast<size_t>(last)]) last = number;
  }
  OperatorPath path;
  path.seconds = last < 0 ? 0 : until[static_cast<size_t>(last)];
  for (int at = last; at >= 0; at = before[static_cast<size_t>(at)]) path.ops.push_back(at);
  std::ranges::reverse(path.ops);
  return path;
}

std::vector<bool> reached_from(std::span<const WorkOp> ops, int from) {
  const std::vector<std::vector<int>> by_writer = readers(ops);
  std::vector<bool> reached(ops.size(), false);
  std::vector<int> next{from};
  while (!next.empty()) {
    const int at = next.back();
    next.pop_back();
    for (int reader : by_writer[static_cast<size_t>(at)]) {
      if (reached[static_cast<size_t>(reader)]) continue;
      reached[static_cast<size_t>(reader)] = true;
      next.push_back(reader);
    }
  }
  return reached;
}

BlockGraph graph_of(const CostedBlock& block, std::span<const WorkOp> ops) {
  BlockGraph graph;
  for (const CostedOp& op : block.ops)
    graph.seconds.push_back(op.work->count * (op.communication ? op.exposed : op.cost.seconds.value));
  graph.forward = path_of(ops, graph.seconds, true);
  graph.backward = path_of(ops, graph.seconds, false);
  graph.groups = groups_of(ops, graph.seconds);
  return graph;
}

}  // namespace planner
