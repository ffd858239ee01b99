// The wire format of Protocol Buffers (protobuf.dev, "Encoding"): fields of a message, one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace planner::trace {

/// A field: its number, and a value as far as its wire type defines it.
struct WireField {
  enum class WireType : uint8_t { varint = 0, eight = 1, bytes = 2, four = 5 };
  uint32_t number = 0;
  WireType type = WireType::varint;
  uint64_t value = 0;     // of numbers; four and eight bytes unconverted, little endian
  std::string_view text;  // of bytes

  int64_t whole() const { return static_cast<int64_t>(value); }
};

/// Reads the fields of a message.
class WireMessage {
 public:
  explicit WireMessage(std::string_view text) : text_(text) {}

  /// Returns the next field; nullopt at the end, or where the message is broken.
  std::optional<WireField> next();
  /// Whether the bytes so far are not a message.
  bool is_broken() const { return broken_; }
  /// Bytes of the message that were read.
  size_t at() const { return at_; }

 private:
  std::optional<WireField> fail() { return broken_ = true, std::nullopt; }
  std::string_view text_;
  size_t at_ = 0;
  bool broken_ = false;
};

/// Takes a varint from the begin of a text; nullopt: it is cut off, or longer than 64 bits.
std::optional<uint64_t> take_varint(std::string_view& text);

/// Appends the numbers of a repeated field, packed or one alone. False: it is broken.
bool append_varints(const WireField& field, std::vector<uint64_t>& out);

}  // namespace planner::trace
