#include "dsl/node.h"

#include <array>

namespace dsl {

Node::Node(Kind kind, Span span) : kind(kind), span(span) {}
Node::Node(const Node&) = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(const Node&) = default;
Node& Node::operator=(Node&&) noexcept = default;
Node::~Node() = default;

const char* kind_name(const Node& node) {
  constexpr std::array kNames{"nothing", "a value", "a list", "a map"};
  return kNames[static_cast<size_t>(node.kind)];
}

Node broken_node() {
  Node node;
  node.broken = true;
  return node;
}

Node plain_node(std::string text, const Span& place) {
  Node node(Node::Kind::scalar, place);
  node.text = std::move(text);
  return node;
}

bool is_readable(const Source& source, Diagnostics& diagnostics, const ParseLimits& limits) {
  if (source.text.size() <= limits.bytes) return !has_bad_byte(source, diagnostics);
  diagnostics.error({&source, 1, 1, 1}, "the text is longer than " + std::to_string(limits.bytes) + " bytes",
                    "leave out what is not needed, or split it");
  return false;
}

const Node* Node::find(std::string_view key) const {
  for (const Entry& e : entries)
    if (e.key == key) return &e.value;
  return nullptr;
}

}  // namespace dsl
