#include "tests/planner/trace/execution_text.h"

#include <fmt/format.h>

namespace sample {

NodesText::NodesText(Schema schema, int64_t process) : schema_(schema) {
  const char* version = schema == Schema::members ? "1.0.1" : "1.1.0-chakra.0.0.4";
  text_ = fmt::format(R"({{"schema": "{}", "pid": {}, "nodes": [)", version, process);
}

NodesText& NodesText::raw(const std::string& node) {
  if (text_.back() != '[') text_ += ",\n";
  text_ += node;
  return *this;
}

NodesText& NodesText::node(const Node& n) {
  if (schema_ == Schema::members)
    return raw(fmt::format(
        R"({{"name": "{}", "id": {}, "rf_id": {}, "parent": {}, "fw_parent": 0, "seq_id": {}, "scope": {}, "tid": {},)"
        R"( "fw_tid": {}, "op_schema": "", "inputs": {}, "input_shapes": {}, "input_types": [],)"
        R"( "outputs": {}, "output_shapes": [], "output_types": []}})",
        n.name, n.id, n.id * 2, n.parent, n.sequence, n.scope, n.thread, n.forward_thread, n.inputs, n.shapes,
        n.outputs));
  const auto number = [](const char* name, int64_t value) {
    return fmt::format(R"({{"name": "{}", "type": "int64", "value": {}}})", name, value);
  };
  return raw(fmt::format(
      R"({{"id": {}, "name": "{}", "ctrl_deps": {}, "inputs": {{"values": {}, "shapes": {}, "types": []}},)"
      R"( "outputs": {{"values": {}, "shapes": [], "types": []}}, "attrs": [{}, {}, {}, {}, {}]}})",
      n.id, n.name, n.parent, n.inputs, n.shapes, n.outputs, number("rf_id", n.id * 2), number("seq_id", n.sequence),
      number("scope", n.scope), number("tid", n.thread), number("fw_tid", n.forward_thread)));
}

std::optional<planner::trace::Execution> execution(const std::string& text, std::string* messages, bool skip_broken,
                                                   size_t piece) {
  dsl::Diagnostics diagnostics;
  auto read = planner::trace::read_any({"a.json", pieces(text, piece)}, skip_broken, diagnostics);
  if (messages) messages->clear();
  for (const dsl::Diagnostic& d : diagnostics.list)
    if (messages) *messages += d.message + "\n";
  return std::move(read.execution);
}

// Nodes are in the order in which they ended, as PyTorch writes them.
NodesText training(NodesText::Schema schema, int64_t process) {
  const std::string x = R"([5, 6, 0, 12, 4, "cuda:0"])", w = R"([7, 8, 0, 8, 4, "cuda:0"])";
  const std::string y = R"([11, 12, 0, 6, 4, "cuda:0"])", z = R"([21, 22, 0, 8, 4, "cuda:0"])";
  NodesText text(schema, process);
  text.node({.id = 2, .parent = 1, .name = "[pytorch|profiler|execution_graph|thread]", .scope = 7});
  text.node({.id = 4, .parent = 3, .name = "aten::empty", .inputs = R"([[3], "cpu"])", .outputs = "[" + x + "]"});
  text.node({.id = 3, .parent = 2, .name = "aten::ones", .inputs = "[[3]]", .outputs = "[" + x + "]"});
  text.node({.id = 10,
             .parent = 9,
             .name = "aten::mm",
             .inputs = "[" + x + ", " + w + "]",
             .outputs = "[" + y + "]",
             .shapes = "[[3, 4], [4, 2]]",
             .sequence = 40});
  text.node({.id = 9,
             .parent = 2,
             .name = "aten::linear",
             .inputs = "[" + x + ", [" + w + "]]",
             .outputs = "[" + y + "]",
             .sequence = 40});
  text.node({.id = 14, .parent = 1, .name = "[pytorch|profiler|execution_graph|thread]", .scope = 7, .thread = 2});
  text.node({.id = 20,
             .parent = 14,
             .name = "MmBackward0",
             .inputs = "[" + y + "]",
             .outputs = "[" + z + "]",
             .sequence = 40,
             .scope = 1,
             .thread = 2,
             .forward_thread = 1});
  text.node({.id = 1, .parent = 1, .name = "[pytorch|profiler|execution_graph|process]", .scope = 7, .thread = 0});
  return text;
}

}  // namespace sample
