#include "planner/trace/json_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/trace/data_types.h"

namespace planner::trace {
namespace {

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

/// A member that is read: `put` takes its value, and returns "" or the mistake; or it is a number, a list of tensors or
/// a text.
struct NodeMember {
  std::string_view name;
  std::string (*put)(std::string_view raw, SaidNode& said) = nullptr;
  int64_t ExecutionNode::*number = nullptr;
  std::vector<Tensor> ExecutionNode::*tensors = nullptr;
  std::string_view SaidNode::*text = nullptr;
};

/// The members that are read, unparsed; texts are valid until the window moves.
struct RawNode {
  int64_t at = 0;  // its offset
  std::vector<std::pair<const NodeMember*, std::string_view>> members;
};

// A text without its quotes; other values unchanged.
std::string_view unquoted(std::string_view raw) {
  return raw.size() >= 2 && raw.starts_with('"') ? raw.substr(1, raw.size() - 2) : raw;
}

// Whole numbers may stand as texts, as protobuf writes them in JSON.
template <class Number> bool parse(std::string_view raw, Number& out) {
  const std::string_view text = unquoted(raw);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

std::string no_number(std::string_view raw) { return fmt::format("a whole number was expected, not {:.40}", raw); }

std::string put_id(std::string_view raw, SaidNode& said) {
  said.has_id = parse(raw, said.node.id);
  return said.has_id ? "" : fmt::format("the node's id is {:.40}", raw);
}

std::string put_name(std::string_view raw, SaidNode& said) {
  said.has_name = raw.starts_with('"');
  if (said.has_name) said.node.name = said.names.number(json_text(unquoted(raw)));
  return "";
}

std::string put_type(std::string_view raw, SaidNode& said) {
  uint64_t type = 0;
  if (!parse(raw, type) || type > static_cast<uint64_t>(NodeType::collective))
    return fmt::format("the node has the unknown type {:.40}", raw);
  said.node.type = static_cast<NodeType>(type);
  return "";
}

std::string put_place(std::string_view raw, SaidNode& said) {
  said.node.on_host = raw != "false" && raw != "0";
  return "";
}

// A number, or a list of numbers.
std::string append_ids(std::string_view raw, std::vector<uint64_t>& out) {
  if (raw == "null") return "";
  if (raw.starts_with('[')) raw = raw.substr(1, raw.size() - 2);
  while (!raw.empty()) {
    std::string_view one = raw.substr(0, raw.find(','));
    raw.remove_prefix(std::min(raw.size(), one.size() + 1));
    one.remove_prefix(std::min(one.size(), one.find_first_not_of(" \n\t\r")));
    one = one.substr(0, one.find_last_not_of(" \n\t\r") + 1);
    uint64_t id = 0;
    if (one.empty() && raw.empty()) break;
    if (!parse(one, id)) return fmt::format("what the node depends on is no node: {:.40}", one);
    out.push_back(id);
  }
  return "";
}
std::string put_control(std::string_view raw, SaidNode& said) { return append_ids(raw, said.node.control); }
std::string put_data(std::string_view raw, SaidNode& said) { return append_ids(raw, said.node.data); }

std::string put_duration(std::string_view raw, SaidNode& said) {
  double us = 0;
  if (raw == "null") return "";
  if (!parse(raw, us) || !(us < 9e15)) return fmt::format("the node's duration is no time: {:.40}", raw);
  if (us < 0) return fmt::format("the node's duration is negative: {} us", us);
  said.node.duration_ns = std::llround(us * 1e3);
  return "";
}

std::string put_shapes(std::string_view raw, SaidNode& said) {
  said.node.shapes = said.names.number(json_text(raw));
  return "";
}

std::string put_types(std::string_view raw, SaidNode& said) {
  said.node.types = said.names.number(raw);
  return "";
}

std::string put_elements(std::string_view raw, SaidNode& said) {
  return parse(raw, said.elements) ? "" : no_number(raw);
}

// Names of both schemas of PyTorch and of Chakra.
constexpr std::array kNodeMembers{
    NodeMember{"id", put_id},
    NodeMember{"Id", put_id},
    NodeMember{"name", put_name},
    NodeMember{"Name", put_name},
    NodeMember{"NodeType", put_type},
    NodeMember{"is_cpu_op", put_place},
    NodeMember{"parent", put_control},
    NodeMember{"ctrl_deps", put_control},
    NodeMember{"ctrlDeps", put_control},
    NodeMember{"data_deps", put_data},
    NodeMember{"runtime", put_duration},
    NodeMember{.name = "inputs", .tensors = &ExecutionNode::inputs},
    NodeMember{.name = "outputs", .tensors = &ExecutionNode::outputs},
    NodeMember{"input_shapes", put_shapes},
    NodeMember{"input_types", put_types},
    NodeMember{.name = "collective_name", .text = &SaidNode::collective},
    NodeMember{.name = "dtype", .text = &SaidNode::data_type},
    NodeMember{"in_msg_nelems", put_elements},
};

const NodeMember* find_node_member(std::string_view name) {
  static const std::vector<NodeMember> kNumbers = [] {
    std::vector<NodeMember> numbers;
    for (const NodeNumber& row : node_numbers()) numbers.push_back({.name = row.name, .number = row.member});
    return numbers;
  }();
  const auto* const row = std::ranges::find(kNodeMembers, name, &NodeMember::name);
  if (row != kNodeMembers.end()) return row;
  const auto number = std::ranges::find(kNumbers, name, &NodeMember::name);
  return number == kNumbers.end() ? nullptr : &*number;
}

bool read_member(JsonStream& json, std::string_view name, RawNode& raw) {
  const NodeMember* member = find_node_member(name);
  std::string_view value;
  if (!json.skip(value)) return false;
  if (member) raw.members.emplace_back(member, value);
  return true;
}

// Schema 1.1: {"values": [...], "shapes": [...], "types": [...]}.
bool read_tensor_map(JsonStream& json, bool are_inputs, RawNode& raw) {
  return read_map(json, [&](std::string_view name) {
    if (name == "values") return read_member(json, are_inputs ? "inputs" : "outputs", raw);
    if (name == "types" && are_inputs) return read_member(json, "input_types", raw);
    return name == "shapes" && are_inputs ? read_member(json, "input_shapes", raw) : json.skip();
  });
}

// Schema 1.1: [{"name": "rf_id", "type": "uint64", "value": 7}, ...].
bool read_attributes(JsonStream& json, RawNode& raw) {
  return read_list(json, [&] {
    std::string_view attribute, value;
    const auto member = [&](std::string_view name) {
      if (name == "name" && json.is('"')) return json.string(attribute);
      return name == "value" ? json.skip(value) : json.skip();
    };
    if (!read_map(json, member)) return false;
    if (const NodeMember* row = find_node_member(attribute); row && !value.empty())
      raw.members.emplace_back(row, value);
    return true;
  });
}

// The raw list of a node's inputs; empty: it has none.
std::string_view inputs_of(const RawNode& raw) {
  for (const auto& [member, value] : raw.members)
    if (member->tensors == &ExecutionNode::inputs) return value;
  return {};
}

// Reads one node (`JsonStream::take`). False: it is not a node, or the window ends.
bool read_node(JsonStream& json, RawNode& raw) {
  json.peek();
  raw.at = json.offset();
  raw.members.clear();
  return read_map(json, [&](std::string_view name) {
    const bool inputs = name == "inputs";
    if ((inputs || name == "outputs") && json.is('{')) return read_tensor_map(json, inputs, raw);
    if (name == "attrs" && json.is('[')) return read_attributes(json, raw);
    return read_member(json, name, raw);
  });
}

// Fills `said` from a node. Returns "" or the mistake.
std::string fill(const RawNode& raw, SaidNode& said) {
  for (const auto& [member, value] : raw.members) {
    std::string wrong;
    if (member->put) wrong = member->put(value, said);
    else if (member->tensors) append_tensors(value, '"', said.names, said.node.*member->tensors);
    else if (member->text) said.*member->text = unquoted(value);
    else if (value != "null" && !parse(value, said.node.*member->number)) wrong = no_number(value);
    if (!wrong.empty()) return member->put == put_id ? wrong : fmt::format("'{}': {}", member->name, wrong);
  }
  if (!said.has_id) return "the node has no id";
  if (!said.has_name) return "the node has no name";
  return "";
}

// In older traces without the attribute, the name of a collective is the first text among a record's inputs.
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
  std::string_view raw;
  const bool taken = json_.take([&] { return json_.skip(raw); });
  if (taken) execution_.schema = json_text(unquoted(raw));
  return taken;
}

bool NodeReader::process() {
  std::string_view raw;
  const bool taken = json_.take([&] { return json_.skip(raw); });
  if (taken && !parse(raw, execution_.process)) execution_.process = -1;
  return taken;
}

std::string wrong_of_schema(const std::string& schema) {
  if (schema.empty()) return "it does not say its schema";
  if (schema.starts_with("1.0.") || schema.starts_with("1.1.")) return "";
  return fmt::format("its schema is {}, known are 1.0 and 1.1", schema);
}

}  // namespace planner::trace
