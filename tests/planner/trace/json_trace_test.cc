// Which kind a trace in JSON is.
#include "planner/trace/json_trace.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/planner/trace/execution_text.h"

using namespace planner::trace;

namespace {

const std::string kEvents = R"("traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2}])";
const std::string kNodes = R"("nodes": [{"id": 1, "name": "a", "parent": 1}])";
const std::string kGraph = R"("workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4}])";

JsonTrace read(const std::string& text, size_t piece = 5) {
  planner::unpack::ByteReader bytes(sample::pieces(text, piece));
  return read_json(bytes, false);
}

std::string wrong(const std::string& text) {
  JsonTrace trace = read(text);
  const FileReading& reading = trace.reading();
  return reading.mistakes.empty() ? "" : reading.mistakes.front().message;
}

}  // namespace

TEST_CASE("the list that a text has says what it is, in whichever order its keys stand") {
  const struct {
    const std::string& list;
    JsonKind kind;
  } rows[] = {{kEvents, JsonKind::events}, {kNodes, JsonKind::pytorch}, {kGraph, JsonKind::chakra}};
  const std::string schema = R"("schema": "1.0.1")", rank = R"("distributedInfo": {"rank": 3, "world_size": 8})",
                    other = R"("other": {"nodes": [1, {"traceEvents": []}]})", process = R"("pid": 77)";
  for (const auto& row : rows) {
    std::vector<std::string> keys{row.list, schema, rank, other, process};
    std::ranges::sort(keys);
    do {
      std::string text = "{" + keys[0];
      for (size_t i = 1; i < keys.size(); ++i) text += ",\n " + keys[i];
      const JsonTrace trace = read(text + "}\n");
      CHECK(trace.kind == row.kind);
      CHECK(trace.rank.rank == 3);
      CHECK(trace.execution.schema == "1.0.1");
      CHECK(trace.execution.process == 77);
      CHECK(trace.rank.events.size() == (row.kind == JsonKind::events ? 1 : 0));
      CHECK(trace.execution.nodes.size() == (row.kind == JsonKind::events ? 0 : 1));
      CHECK(trace.rank.mistakes.empty());
      CHECK(trace.execution.mistakes.empty());
    } while (std::ranges::next_permutation(keys).found);
  }
  CHECK(read(kEvents.substr(kEvents.find('['))).kind == JsonKind::events);  // the list alone
}

TEST_CASE("a text with no list that is known, or with two, is none") {
  CHECK(wrong("{}") == "it has no list 'traceEvents', 'nodes' or 'workload_graph': it is no trace that is known");
  CHECK(wrong(R"({"a": [1]})").starts_with("it has no list"));
  CHECK(wrong("{" + kEvents + ", " + kNodes + "}") ==
        "'nodes' stands beside 'traceEvents': which of them is the trace?");
  CHECK(wrong("{" + kGraph + ", " + kEvents + "}") ==
        "'traceEvents' stands beside 'workload_graph': which of them is the trace?");
  CHECK(wrong("{" + kNodes + ", " + kNodes + "}") == "'nodes' stands twice");
  CHECK(wrong("{" + kNodes + "} x") == "more text stands behind the trace");
  CHECK(wrong(R"({"nodes": 7})") == "expected '[', got '7'");
  CHECK(wrong(R"({"nodes": [7]})") == "expected '{', got '7'");
}

TEST_CASE("a file of nodes is no rank") {
  std::string messages;
  CHECK_FALSE(sample::rank(sample::training().text(), &messages).has_value());
  CHECK(messages == "cannot use 'a.json': it is an execution trace, without events\n");
}
