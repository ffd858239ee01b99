// Execution traces: the operators of a rank and their dependencies, with or without times. Traces of events (trace.h)
// differ: they give times but no causes.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "planner/trace/trace.h"

namespace planner::trace {

/// What PyTorch calls a backward pass (RecordScope::BACKWARD_FUNCTION), in `ExecutionNode::scope`.
inline constexpr int64_t kBackwardScope = 1;

/// The type of a node, by the numbers of Chakra's schema.
enum class NodeType : uint8_t { invalid, metadata, load, store, compute, send, receive, collective };
const char* name_of(NodeType type);

/// An input or output tensor of a node. Numbers of tensors are reused with another storage: both together identify it.
struct Tensor {
  uint64_t number = 0, storage = 0;
  int64_t elements = 0, element_bytes = 0;
  uint32_t device = 0;  // in `Execution::names`: "cuda:0"; "": a tensor that was never filled
  bool operator==(const Tensor&) const = default;
};

struct ExecutionNode {
  uint64_t id = 0;
  uint32_t name = 0;  // in `Execution::names`
  NodeType type = NodeType::invalid;
  bool on_host = true;
  int64_t number = -1, at = -1;         // in the file: which it is, from 0, and its first byte
  std::vector<uint64_t> control, data;  // nodes that come before it; of PyTorch's control is what called it
  std::vector<Tensor> inputs, outputs;
  int64_t start_ns = -1, duration_ns = -1;  // -1: unknown
  uint32_t shapes = kNone;                  // of its inputs, a name: "[[112], [], []]"; kNone: unknown
  uint32_t types = kNone;                   // of its inputs, a name: "[\"Tensor(float)\", \"Int\"]"; kNone: unknown
  // Of PyTorch's operators; -1: unknown.
  int64_t thread = -1;                         // threads count from 1
  int64_t record = -1;                         // the number that PyTorch's profiler gives, too
  int64_t sequence = -1, forward_thread = -1;  // of an operator and its backward pass
  int64_t asked_by = -1;                       // of a backward pass: the node of the other thread that waits for it
  int64_t scope = -1;                          // 0 an operator, 1 a backward pass, 7 of the user
  // Of communication; -1: unknown.
  int64_t bytes = -1;
  int64_t peer = -1, tag = -1;  // of a send or a receive
  int64_t collective = -1;      // Chakra's number: 0 all-reduce, 2 all-gather, 6 all-to-all, 7 reduce-scatter ...
};

struct Execution : FileReading {
  std::string schema;
  int64_t process = -1;  // its number on its host; -1: unknown
  NameTable names;
  std::deque<ExecutionNode> nodes;  // in file order; a vector would move millions of them as it grows

  const std::string& name(const ExecutionNode& node) const { return names[node.name]; }
};

/// Where a tensor is; on neither where it was never filled.
inline bool is_on_host(const Execution& execution, const Tensor& tensor) {
  return execution.names[tensor.device] == "cpu";
}
inline bool is_on_device(const Execution& execution, const Tensor& tensor) {
  return !execution.names[tensor.device].empty() && !is_on_host(execution, tensor);
}

/// Returns what Chakra's number of a collective means ("all-reduce"); "" where it means nothing.
const char* collective_name(int64_t number);
/// Returns Chakra's number of a collective by PyTorch's name ("allreduce", "_allgather_base"); -1: not a collective.
int64_t collective_number(std::string_view called);

/// A number of a node, by the name that all formats give it ("seq_id", "comm_size").
struct NodeNumber {
  std::string_view name;
  int64_t ExecutionNode::*member;
};
std::span<const NodeNumber> node_numbers();
/// Returns the row of a name; null: it is not read.
const NodeNumber* find_node_number(std::string_view name);

/// Sends and receives repeat their type as if it were a collective's: takes that away.
void drop_repeated_type(ExecutionNode& node);

/// Places of nodes by their ids; of two with one id the first.
std::unordered_map<uint64_t, uint32_t> places_of(const Execution& execution);

/// Places of nodes, in the order in which they began: that of their ids.
std::vector<uint32_t> by_begin(const Execution& execution);

/// Returns the place of the node that contains a node and began before it: the one that its control names. kNone if
/// there is none. `places`: places_of the nodes.
uint32_t around_of(const Execution& execution, const std::unordered_map<uint64_t, uint32_t>& places,
                   const ExecutionNode& node);

/// The meaning of `ExecutionNode::control` in a format.
enum class Control : uint8_t {
  all_there,  // every node that is named is in the file
  some_left,  // converters leave nodes out and keep the ids of their callers
};
/// Checks that ids are unique and that dependencies are in the file. With `skip_broken` the later node with a duplicate
/// id, and dependencies on missing nodes, are left out; each is noted.
void check_nodes(Execution& execution, Control control, bool skip_broken);

/// Appends the tensors of a list, in order and from any depth. Each is a list of its number, its storage, its offset
/// there, its elements, the bytes of one and the device: [9, 6, 0, 48, 4, "cuda:0"]. `quote`: the quote of texts
/// (Chakra's lists are Python's: '). Other values are skipped.
void append_tensors(std::string_view list, char quote, NameTable& names, std::vector<Tensor>& out);

}  // namespace planner::trace
