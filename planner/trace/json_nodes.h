// Nodes of execution traces in JSON: PyTorch's (ExecutionTraceObserver: schema 1.0.x with members of a node, and 1.1.x
// with a list of attributes), and Chakra's ("workload_graph", times in microseconds).
#pragma once

#include <string>

#include "planner/trace/execution.h"
#include "planner/trace/json_stream.h"

namespace planner::trace {

/// Reads the values of a trace's keys, in any order. With `skip_broken` broken nodes are left out and counted; without
/// it, the first one ends the reading.
class NodeReader {
 public:
  NodeReader(JsonStream& json, bool skip_broken, Execution& execution)
      : json_(json), skip_broken_(skip_broken), execution_(execution) {}

  // Each takes the value behind its key. False: a mistake, held by `json`.
  bool pytorch_nodes();  // "nodes"
  bool chakra_nodes();   // "workload_graph"
  bool schema();         // "schema"
  bool process();        // "pid"

 private:
  template <class Finish> bool nodes(Finish finish);

  JsonStream& json_;
  const bool skip_broken_;
  Execution& execution_;
};

/// Returns "" or why nodes of this schema are not read.
std::string wrong_of_schema(const std::string& schema);

}  // namespace planner::trace
