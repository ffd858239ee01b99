// A struct as a tree, by the same lines that read it (fields.h): what parse, evaluate and bind would read back.
#pragma once

#include <string>

#include "dsl/fields.h"
#include "dsl/write.h"

namespace dsl {

/// `value` rounded to `digits` significant digits; 0: unchanged.
double rounded(double value, int digits);
/// The entries of `a` that `b` lacks, or has with another value; maps are compared entry by entry. Entries that `b`
/// lacks are taken from `sparse`, a tree of the same struct without fields that need not be written.
Node difference(const Node& a, const Node& b, const Node& sparse);

/// Collects nodes. Numbers and quantities are rounded to `digits`. `usual`: the tree of the struct as it is made;
/// values that are the field's default are left out.
class NodeVisitor {
 public:
  explicit NodeVisitor(int digits, const Node* usual = nullptr) : digits_(digits), usual_(usual) {
    root.kind = Node::Kind::map;
  }

  template <class T> void operator()(const char* name, T& member, const About& about) {
    if constexpr (IsOptional<T>::value) {
      if (member) add(name, value_node(value(*member)));
    } else {
      Node node = value_node(value(member));
      if (!usual_ || !is_default(name, node, about)) add(name, std::move(node));
    }
  }
  template <class T> void section(const char* name, T& t) {
    add(name, node_of(t, usual_ ? usual_->find(name) : nullptr));
  }
  template <class T> void list(const char* name, std::vector<T>& all) {
    Node node;
    node.kind = Node::Kind::list;
    const Node usual = usual_of<T>();
    for (T& t : all) node.items.push_back(node_of(t, usual_ ? &usual : nullptr));
    add(name, std::move(node));
  }
  template <class T> void table(const char* name, std::map<std::string, T>& all) {
    Node node;
    node.kind = Node::Kind::map;
    const Node usual = usual_of<T>();
    for (auto& [key, t] : all) node.entries.push_back({key, {}, node_of(t, usual_ ? &usual : nullptr)});
    add(name, std::move(node));
  }

  Node root;

 private:
  void add(const char* name, Node node) { root.entries.push_back({name, {}, std::move(node)}); }
  template <class T> Node node_of(T& t, const Node* usual) const {
    NodeVisitor inner(digits_, usual);
    fields(inner, t);
    return std::move(inner.root);
  }
  template <class T> Node usual_of() const {
    T t{};
    return usual_ ? node_of(t, nullptr) : Node{};
  }
  template <class T> Value value(const T& member) const {
    return member_value(member, [this](double x) { return rounded(x, digits_); });
  }
  bool is_default(const char* name, const Node& node, const About& about) const {
    if (node.kind == Node::Kind::list) return node.items.empty();
    if (about.otherwise) return node.text == about.otherwise;
    return !about.required && node.text == usual_->find(name)->text;
  }

  int digits_;
  const Node* usual_;
};

/// The struct with every field, or only those whose written value differs from the default. REQUIRES: no expression
/// among its fields.
template <class T> Node to_node(T t, int digits = 0, bool sparse = false) {
  T made{};
  const Node usual = sparse ? to_node(std::move(made), digits) : Node{};
  NodeVisitor v(digits, sparse ? &usual : nullptr);
  fields(v, t);
  return std::move(v.root);
}

}  // namespace dsl
