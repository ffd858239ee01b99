#include "dsl/node.h"

namespace dsl {

Node::Node(Kind kind, Span span) : kind(kind), span(span) {}
Node::Node(const Node&) = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(const Node&) = default;
Node& Node::operator=(Node&&) noexcept = default;
Node::~Node() = default;

Node broken_node() {
  Node node;
  node.broken = true;
  return node;
}

const Node* Node::find(std::string_view key) const {
  for (const Entry& e : entries)
    if (e.key == key) return &e.value;
  return nullptr;
}

}  // namespace dsl
