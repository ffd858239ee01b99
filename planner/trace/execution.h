// Execution traces: the operators of a rank and what each depends on, with or without times; to be told from traces of
// events (trace.h), which say when things were and not why.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/trace/trace.h"

namespace planner::trace {

/// What a node is, by the numbers of Chakra's schema.
enum class NodeType : uint8_t { invalid, metadata, load, store, compute, send, receive, collective };
const char* name_of(NodeType type);

struct ExecutionNode {
  uint64_t id = 0;
  uint32_t name = 0;  // in `Execution::names`
  NodeType type = NodeType::invalid;
  bool on_host = true;
  std::vector<uint64_t> control, data;      // nodes that come before it
  int64_t start_ns = -1, duration_ns = -1;  // -1: not said
  // Of communication; -1: not said.
  int64_t bytes = -1;
  int64_t peer = -1, tag = -1;  // of a send or a receive
  int64_t collective = -1;      // Chakra's number: 0 all-reduce, 2 all-gather, 6 all-to-all, 7 reduce-scatter ...
};

struct Execution {
  std::string file, schema;
  Names names;
  std::vector<ExecutionNode> nodes;  // as they stand
};

/// Returns what Chakra's number of a collective means ("all-reduce"); "" where it means nothing.
const char* collective_name(int64_t number);

}  // namespace planner::trace
