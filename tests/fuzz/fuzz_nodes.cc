// libFuzzer: any bytes as an execution trace in JSON, and the bytes behind a 0 as the events of its rank; the first
// byte selects how they are read. They must give consistent nodes that depend on earlier ones, joined with events of
// their names, or messages.
#include <unordered_set>

#include "planner/trace/join.h"
#include "planner/trace/readers.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace planner::trace;
using fuzz::require;

Read read(std::string_view text, uint8_t how) {
  dsl::Diagnostics diagnostics;
  const auto pieces = [&] {
    const std::string_view piece = text.substr(0, how % 2 ? 7 : 4096);
    text.remove_prefix(piece.size());
    return piece;
  };
  Read read = read_any({"a.json", pieces}, how % 4 >= 2, diagnostics);
  require((!read.ranks.empty() || read.execution) != diagnostics.has_errors());
  return read;
}

void check(const Execution& execution) {
  require(!execution.nodes.empty());
  std::unordered_set<uint64_t> ids;
  for (const ExecutionNode& node : execution.nodes) {
    require(node.name < execution.names.size() && node.duration_ns >= -1 && node.bytes >= -1);
    require(ids.insert(node.id).second);
    for (const Tensor& tensor : node.inputs) require(tensor.device < execution.names.size());
  }
  for (const ExecutionNode& node : execution.nodes)
    for (const uint64_t other : node.data) require(ids.contains(other));
  for (const auto& dependencies : {tensor_dependencies(execution), backward_dependencies(execution)})
    for (const Dependency& each : dependencies)
      require(execution.nodes.at(each.from).id < execution.nodes.at(each.to).id);
}

void check(const RankTrace& rank, const Execution& execution) {
  const Joined joined = join(rank, execution);
  int64_t found = 0;
  for (uint32_t node = 0; node < joined.event_of.size(); ++node) {
    const uint32_t event = joined.event_of[node];
    if (event == kNone) continue;
    ++found;
    require(joined.node_of[event] == node);
    require(rank.name(rank.events[event]) == execution.name(execution.nodes[node]));
  }
  require(found == joined.joined && joined.equal_shapes <= joined.shapes && joined.shapes <= found);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data + 1), size - 1);
  const size_t end = std::min(all.size(), all.find('\0'));
  const Read nodes = read(all.substr(0, end), data[0]);
  if (nodes.execution) check(*nodes.execution);
  if (!nodes.execution || end == all.size()) return 0;
  const Read events = read(all.substr(end + 1), data[0]);
  for (const RankTrace& rank : events.ranks) check(rank, *nodes.execution);
  return 0;
}
