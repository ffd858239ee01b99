#include "planner/trace/execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

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

std::vector<uint32_t> by_begin(const Execution& execution) {
  std::vector<uint32_t> order(execution.nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](uint32_t place) { return execution.nodes[place].id; });
  return order;
}

uint32_t around_of(const Execution& execution, const std::unordered_map<uint64_t, uint32_t>& places,
                   const ExecutionNode& node) {
  const auto around = node.control.empty() ? places.end() : places.find(node.control.front());
  return around == places.end() || execution.nodes[around->second].id >= node.id ? kNone : around->second;
}

namespace {

class NodeCheck {
 public:
  NodeCheck(Execution& execution, Control control, bool skip_broken)
      : execution_(execution), control_(control), skip_broken_(skip_broken), places_(places_of(execution)) {
    for (const ExecutionNode& node : execution.nodes) numbers_.push_back(node.number + 1);
  }

  void check() {
    std::deque<ExecutionNode>& nodes = execution_.nodes;
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

namespace {

void skip_blanks(std::string_view& text) {
  const size_t at = text.find_first_not_of(" \n\t\r");
  text.remove_prefix(std::min(at, text.size()));
}

bool take_char(std::string_view& text, char c) {
  skip_blanks(text);
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

template <class Number> bool take_number(std::string_view& text, Number& out) {
  skip_blanks(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return take_char(text, ',');
}

// A text up to its quote, which may be escaped.
std::string_view take_quoted(std::string_view& text, char quote) {
  size_t end = 0;
  while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
  const std::string_view quoted = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return quoted;
}

// Behind the bracket.
std::optional<Tensor> take_tensor(std::string_view& text, char quote, NameTable& names) {
  std::string_view rest = text;
  Tensor tensor;
  int64_t offset = 0;
  if (!take_number(rest, tensor.number) || !take_number(rest, tensor.storage) || !take_number(rest, offset) ||
      !take_number(rest, tensor.elements) || !take_number(rest, tensor.element_bytes) || !take_char(rest, quote))
    return std::nullopt;
  const std::string_view device = take_quoted(rest, quote);
  if (!take_char(rest, ']')) return std::nullopt;
  tensor.device = names.number(device);
  text = rest;
  return tensor;
}

}  // namespace

void append_tensors(std::string_view list, char quote, NameTable& names, std::vector<Tensor>& out) {
  while (!list.empty()) {
    const char c = list.front();
    list.remove_prefix(1);
    if (c == quote) take_quoted(list, quote);
    if (c != '[') continue;
    if (const std::optional<Tensor> tensor = take_tensor(list, quote, names)) out.push_back(*tensor);
  }
}

}  // namespace planner::trace
