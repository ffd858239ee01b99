#include "planner/trace/execution_check.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace planner::trace {
namespace {

class NodeCheck {
 public:
  NodeCheck(Execution& execution, Control control, bool skip_broken)
      : execution_(execution), control_(control), skip_broken_(skip_broken), places_(places_of(execution)) {
    for (const ExecutionNode& node : execution.nodes) numbers_.push_back(node.number + 1);
  }

  void check() {
    std::vector<ExecutionNode>& nodes = execution_.nodes;
    size_t kept = 0;
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      const uint32_t first = places_.at(nodes[i].id);
      if (first == i) check_dependencies(nodes[i]);
      else
        note(nodes[i], fmt::format("node {} is there already, as number {} of the file", nodes[i].id, numbers_[first]));
      if (stops()) return;
      if (first != i) continue;
      if (kept != i) nodes[kept] = std::move(nodes[i]);
      ++kept;
    }
    nodes.resize(kept);
  }

 private:
  void check_dependencies(ExecutionNode& node) {
    if (control_ == Control::all_there) check_list(node, node.control);
    if (!stops()) check_list(node, node.data);
  }

  void check_list(const ExecutionNode& node, std::vector<uint64_t>& list) {
    size_t kept = 0;
    for (const uint64_t other : list) {
      if (places_.contains(other)) list[kept++] = other;
      else note(node, fmt::format("node {} depends on node {}, which the file does not have", node.id, other));
      if (stops()) return;
    }
    list.resize(kept);
  }

  bool stops() const { return !skip_broken_ && !execution_.mistakes.empty(); }

  void note(const ExecutionNode& node, std::string message) {
    ++execution_.left_out;
    execution_.note({node.number, node.at, std::move(message)});
  }

  Execution& execution_;
  const Control control_;
  const bool skip_broken_;
  const std::unordered_map<uint64_t, uint32_t> places_;
  std::vector<int64_t> numbers_;  // of nodes in the file, from 1
};

}  // namespace

void check_nodes(Execution& execution, Control control, bool skip_broken) {
  NodeCheck(execution, control, skip_broken).check();
}

}  // namespace planner::trace
