#include "dsl/packed_tree.h"

#include <cassert>

#include "dsl/raw_text.h"

namespace dsl {
namespace {

// A node is its head, its place, and what it holds. A number is seven bits a byte, the last byte's highest bit clear.
constexpr unsigned kKindBits = 3, kQuoted = 4, kHasComment = 8;

class Packer {
 public:
  explicit Packer(const Source& source) : source_(source) {}

  std::string take() { return std::move(out_); }

  void node(const Node& n) {
    assert(!n.broken && "only a text without a mistake is packed");
    number(static_cast<size_t>(n.kind) | (n.quoted ? kQuoted : 0) | (n.comment.empty() ? 0 : kHasComment));
    const size_t at = place(n.span);
    if (n.kind == Node::Kind::scalar) bytes(n.text, at);
    if (!n.comment.empty()) bytes(n.comment, at);
    if (n.kind == Node::Kind::list) {
      number(n.items.size());
      for (const Node& item : n.items) node(item);
    }
    if (n.kind == Node::Kind::map) {
      number(n.entries.size());
      for (const Entry& e : n.entries) {
        bytes(e.key, place(e.key_span));
        node(e.value);
      }
    }
  }

 private:
  void number(size_t n) {
    for (; n >= 0x80; n >>= 7) out_ += static_cast<char>(n | 0x80);
    out_ += static_cast<char>(n);
  }

  // Lines as steps from the previous one, doubled; odd if they go back (to the target of an alias).
  size_t place(const Span& span) {
    assert(span.source == &source_);
    const int step = span.line - line_;
    number(static_cast<size_t>(step < 0 ? -step : step) * 2 + (step < 0 ? 1 : 0));
    number(static_cast<size_t>(span.column));
    number(static_cast<size_t>(span.length));
    line_ = span.line;
    return offset_of(span);
  }

  // By where the same bytes stand at or after `from`, plus one; 0: nowhere, and they follow.
  void bytes(std::string_view value, size_t from) {
    number(value.size());
    if (value.empty()) return;
    const size_t at = source_.text.find(value, from);
    number(at == std::string::npos ? 0 : at - from + 1);
    if (at == std::string::npos) out_ += value;
  }

  const Source& source_;
  std::string out_;
  int line_ = 1;
};

class Unpacker {
 public:
  Unpacker(std::string_view packed, const Source& source) : packed_(packed), source_(source), lines_(source) {}

  bool done() const { return at_ == packed_.size(); }

  /// REQUIRES: a new node.
  void node(Node& n) {
    const size_t head = number();
    n.kind = static_cast<Node::Kind>(head & kKindBits);
    n.quoted = (head & kQuoted) != 0;
    const size_t at = place(n.span);
    if (n.kind == Node::Kind::scalar) n.text = bytes(at);
    if (head & kHasComment) n.comment = bytes(at);
    if (n.kind == Node::Kind::list) {
      const size_t count = number();
      n.items.reserve(count);
      for (size_t i = 0; i < count; ++i) node(n.items.emplace_back());
    }
    if (n.kind == Node::Kind::map) {
      const size_t count = number();
      n.entries.reserve(count);
      for (size_t i = 0; i < count; ++i) entry(n.entries.emplace_back());
    }
  }

 private:
  void entry(Entry& e) {
    e.key = bytes(place(e.key_span));
    node(e.value);
  }

  size_t number() {
    size_t n = 0;
    for (int shift = 0;; shift += 7) {
      assert(!done());
      const auto byte = static_cast<unsigned char>(packed_[at_++]);
      n |= static_cast<size_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return n;
    }
  }

  size_t place(Span& span) {
    const size_t step = number();
    line_ += step & 1 ? -static_cast<int>(step >> 1) : static_cast<int>(step >> 1);
    span.source = &source_;
    span.line = line_;
    span.column = static_cast<int>(number());
    span.length = static_cast<int>(number());
    return lines_.start(line_) + static_cast<size_t>(span.column) - 1;
  }

  // A string to move from, which takes less time than to assign to an empty one.
  std::string bytes(size_t from) {
    const size_t size = number();
    if (size == 0) return {};
    const size_t step = number();
    if (step > 0) return {source_.text, from + step - 1, size};
    at_ += size;
    return std::string(packed_.substr(at_ - size, size));
  }

  std::string_view packed_;
  const Source& source_;
  LineMap lines_;
  size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

std::string pack_tree(const Node& tree, const Source& source) {
  Packer packer(source);
  packer.node(tree);
  return packer.take();
}

Node unpack_tree(std::string_view packed, const Source& source) {
  Unpacker unpacker(packed, source);
  Node tree;
  unpacker.node(tree);
  assert(unpacker.done() && "packed from another text");
  return tree;
}

}  // namespace dsl
