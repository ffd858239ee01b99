#include "planner/trace/chakra.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "planner/trace/json_stream.h"
#include "planner/trace/wire.h"

namespace planner::trace {
namespace {

constexpr size_t kMostMessage = size_t{64} << 20;

/// A value of an attribute, as far as anybody asks for it.
struct Attribute {
  std::string_view name, text;
  std::optional<int64_t> number;
};

// nullopt: not a whole number in range.
std::optional<int64_t> whole_of(double value) {
  return std::abs(value) < 9e18 ? std::optional(static_cast<int64_t>(value)) : std::nullopt;
}

// The value stands under the odd numbers from 3 (the even ones are lists): floats, whole numbers of three kinds, a
// bool, texts (et_def.proto, AttributeProto).
std::optional<int64_t> number_of(const WireField& field) {
  if (field.number % 2 == 0 || field.number < 3 || field.number > 27) return std::nullopt;
  if (field.number == 3) return whole_of(std::bit_cast<double>(field.value));
  if (field.number == 5) return whole_of(std::bit_cast<float>(static_cast<uint32_t>(field.value)));
  const bool zigzag = field.number == 15 || field.number == 17;
  if (zigzag) return static_cast<int64_t>(field.value >> 1) ^ -static_cast<int64_t>(field.value & 1);
  if (field.number == 23) return static_cast<int32_t>(static_cast<uint32_t>(field.value));
  return field.whole();
}

std::optional<Attribute> attribute_of(std::string_view text) {
  WireMessage message(text);
  Attribute attribute;
  while (const std::optional<WireField> field = message.next()) {
    if (field->number == 1) attribute.name = field->text;
    else if (field->number == 29) attribute.text = field->text;
    else if (const auto number = number_of(*field)) attribute.number = number;
  }
  if (message.is_broken()) return std::nullopt;
  return attribute;
}

void put(const Attribute& attribute, ExecutionNode& node) {
  if (attribute.name == "is_cpu_op") node.on_host = attribute.number.value_or(0) != 0;
  const NodeNumber* row = find_node_number(attribute.name);
  if (row && attribute.number) node.*row->member = *attribute.number;
}

// What a node takes or gives: values, shapes and types, each a list that is a text of Python's.
bool read_tensors(std::string_view text, NameTable& names, std::vector<Tensor>& tensors, uint32_t& shapes) {
  WireMessage message(text);
  while (const std::optional<WireField> field = message.next()) {
    if (field->number == 1) append_tensors(field->text, '\'', names, tensors);
    if (field->number == 2) shapes = names.number(json_text(field->text));
  }
  return !message.is_broken();
}

int64_t nanoseconds(uint64_t microseconds) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max() / 1000;
  return static_cast<int64_t>(std::min(microseconds, kMost)) * 1000;
}

// Returns "" or the mistake.
std::string read_field(const WireField& field, Execution& execution, ExecutionNode& node) {
  switch (field.number) {
    case 1:
      node.id = field.value;
      return "";
    case 2:
      node.name = execution.names.number(json_text(field.text));
      return "";
    case 3:
      if (field.value > static_cast<uint64_t>(NodeType::collective))
        return fmt::format("node {} has the unknown type {}", node.id, field.value);
      node.type = static_cast<NodeType>(field.value);
      return "";
    case 4:
    case 5:
      return append_varints(field, field.number == 4 ? node.control : node.data)
                 ? ""
                 : fmt::format("node {} has a broken list of what comes before it", node.id);
    case 6:
      node.start_ns = nanoseconds(field.value);
      return "";
    case 7:
      node.duration_ns = nanoseconds(field.value);
      return "";
    case 8:
    case 9: {
      uint32_t unused = kNone;
      const bool inputs = field.number == 8;
      return read_tensors(field.text, execution.names, inputs ? node.inputs : node.outputs,
                          inputs ? node.shapes : unused)
                 ? ""
                 : fmt::format("node {} has broken tensors", node.id);
    }
    case 10: {
      const std::optional<Attribute> attribute = attribute_of(field.text);
      if (!attribute) return fmt::format("node {} has a broken attribute", node.id);
      put(*attribute, node);
      return "";
    }
    default:
      return "";
  }
}

std::string read_node(std::string_view text, Execution& execution, ExecutionNode node) {
  if (text.empty()) return "the message is empty";
  if (execution.nodes.size() == kMostEvents) return too_many("nodes");
  WireMessage message(text);
  node.name = execution.names.number("");
  while (const std::optional<WireField> field = message.next())
    if (std::string wrong = read_field(*field, execution, node); !wrong.empty()) return wrong;
  if (message.is_broken()) return fmt::format("the message of node {} is broken at its byte {}", node.id, message.at());
  drop_repeated_type(node);
  execution.nodes.push_back(std::move(node));
  return "";
}

// The version is a separate field; converters keep PyTorch's values as attributes.
std::string read_metadata(std::string_view text, Execution& execution) {
  WireMessage message(text);
  while (const std::optional<WireField> field = message.next()) {
    if (field->number == 1) execution.schema = json_text(field->text);
    if (field->number != 2) continue;
    const std::optional<Attribute> attribute = attribute_of(field->text);
    if (!attribute) return "the metadata have a broken attribute";
    if (attribute->name == "schema" && execution.schema.empty()) execution.schema = json_text(attribute->text);
    if (attribute->name == "pid") execution.process = attribute->number.value_or(-1);
  }
  return message.is_broken() ? "the metadata are no message" : "";
}

/// The text in messages.
class MessageStream {
 public:
  explicit MessageStream(unpack::ByteReader& bytes) : bytes_(bytes) {}

  /// Gives the next one; false at the end, or where something is wrong.
  bool next(std::string_view& message) {
    uint64_t length = 0;
    for (int shift = 0;; shift += 7) {
      if (at_ == text_.size() && !more(1))
        return shift == 0 && !*bytes_.wrong() ? false : fail("it ends in the middle of a message");
      const auto byte = static_cast<uint8_t>(text_[at_++]);
      if (shift > 28) return fail("the length of a message is no number");
      length |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    if (length > kMostMessage) return fail(fmt::format("a message is longer than {} bytes", kMostMessage));
    if (text_.size() - at_ < length && !more(length)) return fail("it ends in the middle of a message");
    message = std::string_view(text_).substr(at_, length);
    begin_ = passed_ + static_cast<int64_t>(at_);
    at_ += length;
    return true;
  }
  const std::string& wrong() const { return wrong_; }
  int64_t begin() const { return begin_; }

 private:
  bool fail(const std::string& wrong) {
    wrong_ = *bytes_.wrong() ? bytes_.wrong() : wrong;
    begin_ = passed_ + static_cast<int64_t>(at_);
    return false;
  }

  // Reads until `bytes` bytes are available at the position.
  bool more(size_t bytes) {
    passed_ += static_cast<int64_t>(at_);
    text_.erase(0, at_);
    at_ = 0;
    while (text_.size() < bytes) {
      const size_t before = text_.size(), room = size_t{1} << 16;
      text_.resize(before + room);
      const size_t got = bytes_.read(text_.data() + before, room);
      text_.resize(before + got);
      if (got == 0) return false;
    }
    return true;
  }

  unpack::ByteReader& bytes_;
  std::string text_, wrong_;
  size_t at_ = 0;
  int64_t passed_ = 0, begin_ = 0;
};

}  // namespace

std::optional<Mistake> read_chakra(unpack::ByteReader& bytes, Execution& execution) {
  MessageStream messages(bytes);
  std::string_view message;
  int64_t count = 0;
  for (; messages.next(message); ++count) {
    ExecutionNode node;
    node.number = count, node.at = messages.begin();
    const std::string wrong = count == 0 ? read_metadata(message, execution) : read_node(message, execution, node);
    if (!wrong.empty()) return Mistake{count, messages.begin(), wrong};
  }
  execution.read = count;
  if (!messages.wrong().empty()) return Mistake{count, messages.begin(), messages.wrong()};
  if (execution.nodes.empty()) return Mistake{-1, -1, "it has no nodes"};
  return std::nullopt;
}

}  // namespace planner::trace
