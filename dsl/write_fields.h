// A struct as a tree, by the same lines that read it (fields.h): what parse, evaluate and bind would read back.
#pragma once

#include <string>

#include "dsl/fields.h"
#include "dsl/write.h"

namespace dsl {

/// `value` with so many significant digits; 0: as it is.
double rounded(double value, int digits);
/// The entries of `a` that `b` has not, or has with another value; maps are compared entry by entry. Entries that `b`
/// lacks are taken from `sparse`, a tree of the same struct without what needs no writing.
Node difference(const Node& a, const Node& b, const Node& sparse);

/// Collects nodes. Numbers and quantities are rounded to `digits`. `sparse`: no values that are the field's default.
class NodeVisitor {
 public:
  explicit NodeVisitor(int digits, bool sparse = false) : digits_(digits), sparse_(sparse) {
    root.kind = Node::Kind::map;
  }

  template <class T> void operator()(const char* name, T& member, const About& about) {
    if constexpr (IsOptional<T>::value) {
      if (member) add(name, value_node(value(*member)));
    } else {
      Node node = value_node(value(member));
      const bool unwritten = node.kind == Node::Kind::list ? node.items.empty() : node.text == otherwise(about);
      if (!sparse_ || !unwritten) add(name, std::move(node));
    }
  }
  template <class T> void section(const char* name, T& t) { add(name, node_of(t)); }
  template <class T> void list(const char* name, std::vector<T>& all) {
    Node node;
    node.kind = Node::Kind::list;
    for (T& t : all) node.items.push_back(node_of(t));
    add(name, std::move(node));
  }
  template <class T> void table(const char* name, std::map<std::string, T>& all) {
    Node node;
    node.kind = Node::Kind::map;
    for (auto& [key, t] : all) node.entries.push_back({key, {}, node_of(t)});
    add(name, std::move(node));
  }

  Node root;

 private:
  void add(const char* name, Node node) { root.entries.push_back({name, {}, std::move(node)}); }
  template <class T> Node node_of(T& t) {
    NodeVisitor inner(digits_, sparse_);
    fields(inner, t);
    return std::move(inner.root);
  }
  template <class T> Value value(const T& member) const {
    if constexpr (IsVector<T>::value) {
      List list;
      for (const auto& item : member) list.push_back(value(item));
      return Value{std::move(list)};
    } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
      return Value{member};
    } else if constexpr (std::is_enum_v<T>) {
      return Value{std::string(words(member)[static_cast<size_t>(member)])};
    } else if constexpr (DimOf<T>::is_quantity) {
      return Value{Number{rounded(member.value, digits_), DimOf<T>::dim}};
    } else if constexpr (std::is_integral_v<T>) {
      return Value{Number{static_cast<double>(member), kNone}};
    } else {
      return Value{Number{rounded(member, digits_), kNone}};
    }
  }
  static std::string_view otherwise(const About& about) { return about.otherwise ? about.otherwise : "\n"; }
  int digits_;
  bool sparse_;
};

/// The struct with every field visible, or only what differs from the default as it is written. REQUIRES: no expression
/// among its fields.
template <class T> Node to_node(T t, int digits = 0, bool sparse = false) {
  NodeVisitor v(digits, sparse);
  fields(v, t);
  return std::move(v.root);
}

}  // namespace dsl
