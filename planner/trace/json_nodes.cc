#include "planner/trace/json_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/trace/data_types.h"
#include "planner/trace/json_node.h"
#include "planner/trace/json_values.h"
#include "planner/trace/most_events.h"

namespace planner::trace {
namespace {

// Before attributes said it, the name of a collective was the first text among a record's inputs.
std::string_view first_text(std::string_view list) {
  int depth = 0;
  while (!list.empty()) {
    const char c = list.front();
    if (c == '[') ++depth;
    if (c == ']') --depth;
    list.remove_prefix(1);
    if (c != '"') continue;
    const std::string_view text = list.substr(0, list.find('"'));
    if (depth == 1) return text;
    list.remove_prefix(std::min(list.size(), text.size() + 1));
  }
  return {};
}

NodeType type_of_record(std::string_view collective) {
  if (collective.starts_with("send")) return NodeType::send;
  if (collective.starts_with("recv")) return NodeType::receive;
  return collective_number(collective) < 0 ? NodeType::compute : NodeType::collective;
}

// -1: its type is not known.
int64_t bytes_of_record(const SaidNode& said) {
  double bytes = 0;
  const int64_t of_one = bytes_of_type(said.data_type);
  if (said.elements >= 0 && of_one == 0) return -1;
  if (said.elements >= 0) bytes = static_cast<double>(said.elements) * static_cast<double>(of_one);
  else
    for (const Tensor& tensor : said.node.inputs)
      bytes += static_cast<double>(tensor.elements) * static_cast<double>(tensor.element_bytes);
  return static_cast<int64_t>(std::clamp(bytes, 0.0, 9e18));
}

// What PyTorch's names say: threads and processes are nodes, too, and `record_param_comms` hands tensors to NCCL.
void settle_pytorch(const RawNode& raw, SaidNode& said) {
  ExecutionNode& node = said.node;
  std::erase(node.control, node.id);  // the process is its own parent
  const std::string& name = said.names[node.name];
  node.type = name.starts_with("[pytorch|profiler|") ? NodeType::metadata : NodeType::compute;
  if (name != "record_param_comms") return;
  if (said.collective.empty()) said.collective = first_text(inputs_of(raw));
  node.type = type_of_record(said.collective);
  if (node.type == NodeType::compute) return;
  node.collective = node.type == NodeType::collective ? collective_number(said.collective) : -1;
  node.bytes = bytes_of_record(said);
}

}  // namespace

template <class Settle> bool NodeReader::nodes(Settle settle) {
  RawNode raw;
  const auto keep = [&] {
    SaidNode said(execution_.names);
    const std::string wrong = fill(raw, said);
    said.node.number = execution_.read, said.node.at = raw.at;
    if (!wrong.empty() && !skip_broken_) return json_.fail_from(raw.at, wrong);
    ++execution_.read;
    if (!wrong.empty()) {
      ++execution_.left_out;
      execution_.note({said.node.number, raw.at, wrong});
      return true;
    }
    settle(raw, said);
    if (execution_.nodes.size() == kMostEvents) return json_.fail_from(raw.at, too_many("nodes"));
    execution_.nodes.push_back(std::move(said.node));
    return true;
  };
  return json_.take([&] { return json_.expect('['); }) && take_elements(
                                                              json_, ']', [&] { return read_node(json_, raw); }, keep);
}

bool NodeReader::pytorch_nodes() { return nodes(settle_pytorch); }

bool NodeReader::chakra_nodes() {
  return nodes([](const RawNode&, SaidNode& said) { drop_repeated_type(said.node); });
}

bool NodeReader::schema() {
  return json_.take([&] {
    std::string_view raw;
    if (!json_.skip(raw)) return false;
    execution_.schema = json_text(unquoted(raw));
    return true;
  });
}

bool NodeReader::process() {
  return json_.take([&] {
    std::string_view raw;
    if (!json_.skip(raw)) return false;
    execution_.process = whole_number(raw).value_or(-1);
    return true;
  });
}

std::string wrong_of_schema(const std::string& schema) {
  if (schema.empty()) return "it does not say its schema";
  if (schema.starts_with("1.0.") || schema.starts_with("1.1.")) return "";
  return fmt::format("its schema is {}, known are 1.0 and 1.1", schema);
}

}  // namespace planner::trace
