// One expression on its own: its value as text, or its first message with the column.
#pragma once

#include <map>
#include <string>

#include "dsl/expression_tree.h"

/// The value of `text`, or "error COLUMN: message". `names`: the values of names; empty by default.
inline std::string evaluated(const std::string& text, const std::map<std::string, dsl::Value>& names = {}) {
  const dsl::Source source{"a", text, ""};
  dsl::Diagnostics diagnostics;
  const dsl::ExprPtr tree = dsl::parse_expression(text, {&source, 1, 1, static_cast<int>(text.size())}, diagnostics);
  auto resolve = [&](const std::string& name, dsl::Span) {
    const auto found = names.find(name);
    return found == names.end() ? std::nullopt : std::optional<dsl::Value>(found->second);
  };
  std::optional<dsl::Value> value;
  if (tree) value = dsl::evaluate(*tree, resolve, diagnostics);
  if (value) return dsl::to_text(*value);
  if (diagnostics.list.empty()) return "nothing";
  return "error " + std::to_string(diagnostics.list[0].span.column) + ": " + diagnostics.list[0].message;
}
