// What names of a Python text hold while it is worked out.
#pragma once

#include <deque>
#include <optional>

#include "planner/python/python_syntax.h"

namespace planner {

struct PythonScope;

struct PythonValue;

enum class PythonType { none, boolean, number, string, list, map, function, unknown };

struct PythonItem {
  std::string key;
  dsl::Span span;
  PythonValue* value;
};

struct PythonValue {
  using Kind = PythonType;
  using Item = PythonItem;

  Kind kind = Kind::unknown;
  bool is_tuple = false;  // list: "+=" makes another
  std::string text;       // as a plan reads it; unknown: as it is written
  dsl::Span span;
  std::vector<PythonValue*> items;   // list
  std::vector<Item> entries;         // map; of a call the first is "()"
  std::vector<PythonValue*> absent;  // function: the defaults of its parameters; null without
  const PythonStatement* function = nullptr;
  const PythonScope* scope = nullptr;  // in which the function is

  bool is(Kind k) const { return kind == k; }
  /// Whether it holds what the file does not say: [*x], {**x}.
  bool is_partly_open() const;
  bool is_call() const { return kind == Kind::map && !entries.empty() && entries.front().key == "()"; }
  const PythonValue* find(std::string_view key) const;
  void set(const std::string& key, const dsl::Span& place, PythonValue* value);
  void erase(std::string_view key);
};

/// Whether an `if` takes it as true; none: not known.
std::optional<bool> python_truth(const PythonValue& value);
/// Which place of a list a number names: -1 is the last. None: not known, or not of the list.
std::optional<size_t> python_place(const PythonValue& list, const PythonValue& key);
/// A whole number; none: another value.
std::optional<long long> python_whole(const PythonValue& value);
/// The last name of "a.b.Config".
std::string_view last_python_name(std::string_view dotted);

/// The value of "left sign right" or "sign right" where both are known; kind unknown otherwise.
PythonValue python_binary(std::string_view sign, const PythonValue& left, const PythonValue& right);
PythonValue python_unary(std::string_view sign, const PythonValue& right);

/// What a function of Python itself makes of known values ("int", "max", ...); kind unknown otherwise.
PythonValue python_builtin(std::string_view name, const std::vector<PythonValue*>& arguments);
/// Likewise a method of a string ("lower", ...).
PythonValue python_string_method(std::string_view name, const PythonValue& text,
                                 const std::vector<PythonValue*>& arguments);

/// The tree of a value. Diagnosed (then broken): more nodes than a text may have, or nested too deep.
dsl::Node python_node(const PythonValue& value, dsl::Diagnostics& diagnostics);

}  // namespace planner
