// Nodes of execution traces in JSON: PyTorch's (ExecutionTraceObserver: schema 1.0.x, where members of a node say what
// it is, and 1.1.x, where a list of attributes does), and Chakra's ("workload_graph", times in microseconds).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/trace/execution.h"
#include "planner/trace/json_stream.h"

namespace planner::trace {

struct NodeMember;

/// The members that are asked for, as they stand; texts live until the window moves.
struct RawNode {
  int64_t at = 0;  // its offset
  std::vector<std::pair<const NodeMember*, std::string_view>> members;
};

/// Reads one node (`JsonStream::take`). False: it is none, or the window ends.
bool read_node(JsonStream& json, RawNode& raw);

/// What the members of a node say.
struct SaidNode {
  explicit SaidNode(NameTable& all) : names(all) { node.name = names.number(""); }

  ExecutionNode node;
  bool has_id = false, has_name = false;
  // Of communication, as PyTorch records it.
  std::string_view collective, data_type;
  int64_t elements = -1;
  NameTable& names;
};

/// Fills `said` from a node. Returns "" or what is wrong with it.
std::string fill(const RawNode& raw, SaidNode& said);

/// Returns the list of a node's inputs as it stands; empty: it has none.
std::string_view inputs_of(const RawNode& raw);
/// Returns a text without its quotes; what is no text as it stands.
std::string_view unquoted(std::string_view raw);
/// Returns a whole number, which may stand as a text; nullopt: it is none.
std::optional<int64_t> whole_number(std::string_view raw);

/// Reads what the keys of a trace hold, in whichever order they come. With `skip_broken` nodes that are broken are left
/// out and counted; without, the first one ends the reading.
class NodeReader {
 public:
  NodeReader(JsonStream& json, bool skip_broken, Execution& execution)
      : json_(json), skip_broken_(skip_broken), execution_(execution) {}

  // Each takes what stands behind its key. False: something is wrong, as `json` says.
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
