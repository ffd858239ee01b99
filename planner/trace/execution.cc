#include "planner/trace/execution.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace planner::trace {
namespace {

constexpr std::array<const char*, 8> kTypes{"invalid", "metadata", "memory load", "memory store",
                                            "compute", "send",     "receive",     "collective"};
constexpr std::array<const char*, 10> kCollectives{
    "all-reduce", "reduce",         "all-gather",           "gather", "scatter", "broadcast",
    "all-to-all", "reduce-scatter", "reduce-scatter-block", "barrier"};

/// What names of PyTorch's collectives begin with, without their underscores: the longer ones first.
struct CalledRow {
  std::string_view begin;
  int64_t number;
};
constexpr std::array kCalled{
    CalledRow{"allreduce", 0}, CalledRow{"reducescatter", 7}, CalledRow{"reduce", 1},
    CalledRow{"allgather", 2}, CalledRow{"gather", 3},        CalledRow{"scatter", 4},
    CalledRow{"broadcast", 5}, CalledRow{"alltoall", 6},      CalledRow{"barrier", 9},
};

// PyTorch's names of attributes, then Chakra's.
constexpr std::array kNodeNumbers{
    NodeNumber{"tid", &ExecutionNode::thread},         NodeNumber{"rf_id", &ExecutionNode::record},
    NodeNumber{"seq_id", &ExecutionNode::sequence},    NodeNumber{"fw_tid", &ExecutionNode::forward_thread},
    NodeNumber{"fw_parent", &ExecutionNode::asked_by}, NodeNumber{"scope", &ExecutionNode::scope},
    NodeNumber{"comm_size", &ExecutionNode::bytes},    NodeNumber{"comm_type", &ExecutionNode::collective},
    NodeNumber{"comm_dst", &ExecutionNode::peer},      NodeNumber{"comm_src", &ExecutionNode::peer},
    NodeNumber{"comm_tag", &ExecutionNode::tag},
};

}  // namespace

const char* name_of(NodeType type) { return kTypes[static_cast<size_t>(type)]; }

const char* collective_name(int64_t number) {
  return number >= 0 && number < static_cast<int64_t>(kCollectives.size()) ? kCollectives[static_cast<size_t>(number)]
                                                                           : "";
}

int64_t collective_number(std::string_view called) {
  std::string bare;
  std::ranges::copy_if(called, std::back_inserter(bare), [](char c) { return c != '_'; });
  for (const CalledRow& row : kCalled)
    if (bare.starts_with(row.begin)) return row.number;
  return -1;
}

std::span<const NodeNumber> node_numbers() { return kNodeNumbers; }

const NodeNumber* find_node_number(std::string_view name) {
  const auto* const row = std::ranges::find(kNodeNumbers, name, &NodeNumber::name);
  return row == kNodeNumbers.end() ? nullptr : row;
}

void drop_repeated_type(ExecutionNode& node) {
  if (node.type != NodeType::collective) node.collective = -1;
}

std::unordered_map<uint64_t, uint32_t> places_of(const Execution& execution) {
  std::unordered_map<uint64_t, uint32_t> places;
  places.reserve(execution.nodes.size());
  for (uint32_t i = 0; i < execution.nodes.size(); ++i) places.try_emplace(execution.nodes[i].id, i);
  return places;
}

}  // namespace planner::trace
