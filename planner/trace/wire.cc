#include "planner/trace/wire.h"

namespace planner::trace {

std::optional<uint64_t> take_varint(std::string_view& text) {
  uint64_t value = 0;
  for (size_t i = 0; i < text.size() && i < 10; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if (i == 9 && byte > 1) return std::nullopt;
    value |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if (byte >= 0x80) continue;
    text.remove_prefix(i + 1);
    return value;
  }
  return std::nullopt;
}

namespace {

std::optional<uint64_t> take_fixed(std::string_view& text, size_t bytes) {
  if (text.size() < bytes) return std::nullopt;
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= static_cast<uint64_t>(static_cast<uint8_t>(text[i])) << (8 * i);
  text.remove_prefix(bytes);
  return value;
}

}  // namespace

std::optional<WireField> WireMessage::next() {
  std::string_view rest = text_.substr(at_);
  if (rest.empty() || broken_) return std::nullopt;
  const std::optional<uint64_t> key = take_varint(rest);
  if (!key || *key >> 3 == 0 || *key >> 3 > 0x1FFFFFFF) return fail();
  WireField field{.number = static_cast<uint32_t>(*key >> 3), .type = static_cast<WireField::WireType>(*key & 7)};
  std::optional<uint64_t> value;
  switch (*key & 7) {
    case 0:
      value = take_varint(rest);
      break;
    case 1:
      value = take_fixed(rest, 8);
      break;
    case 2:
      value = take_varint(rest);
      if (!value || *value > rest.size()) return fail();
      field.text = rest.substr(0, *value);
      rest.remove_prefix(*value);
      break;
    case 5:
      value = take_fixed(rest, 4);
      break;
    default:
      return fail();
  }
  if (!value) return fail();
  field.value = *value;
  at_ = text_.size() - rest.size();
  return field;
}

bool append_varints(const WireField& field, std::vector<uint64_t>& out) {
  if (field.type == WireField::WireType::varint) return out.push_back(field.value), true;
  if (field.type != WireField::WireType::bytes) return false;
  for (std::string_view rest = field.text; !rest.empty();) {
    const std::optional<uint64_t> value = take_varint(rest);
    if (!value) return false;
    out.push_back(*value);
  }
  return true;
}

}  // namespace planner::trace
