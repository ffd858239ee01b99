// One field of a struct by its path, to be set repeatedly: the fields that a search writes for each candidate.
#pragma once

#include <functional>
#include <string_view>

#include "dsl/fields.h"

namespace dsl {

/// Sets the member to a value of its type (record.h). REQUIRES: the struct outlives it and does not move.
using Setter = std::function<void(const Value&)>;

/// Finds the member of a path; list items and map entries must be there already.
class SetterVisitor : public PathVisitor<SetterVisitor> {
 public:
  explicit SetterVisitor(std::string_view path) : PathVisitor(""), path_(path) {}

  template <class T> void operator()(const char* name, T& member, const About&) {
    if constexpr (!std::is_same_v<T, Expression> && !std::is_same_v<T, std::optional<Expression>> &&
                  !std::is_same_v<T, std::vector<Expression>>)
      if (prefix_ + name == path_) setter = [&member](const Value& v) { set_member(v, member); };
  }
  bool enters() const { return path_.starts_with(prefix_); }
  template <class T> void list(const char* name, std::vector<T>& all) { items(name, all); }
  template <class T> void table(const char* name, std::map<std::string, T>& entries) {
    for (auto& [key, entry] : entries) inside(std::string(name) + "." + key + ".", entry);
  }

  Setter setter;

 private:
  std::string_view path_;
};

/// Empty where the struct has no such value.
template <class T> Setter setter_of(T& t, std::string_view path) {
  SetterVisitor visitor(path);
  fields(visitor, t);
  return std::move(visitor.setter);
}

}  // namespace dsl
