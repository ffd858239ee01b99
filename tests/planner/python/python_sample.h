// Python texts and what the reader makes of them: the tree on one line, or the first mistake.
#pragma once

#include <span>
#include <string>

#include "planner/python/python_tree.h"

/// `result`: {name=value ...}; strings in quotes, what is not worked out bare. Or "line:column message | hint".
struct PythonSample {
  const char *text, *result;
};

inline std::string python_line_of(const dsl::Node& node) {
  if (node.kind == dsl::Node::Kind::null) return "null";
  if (node.kind == dsl::Node::Kind::scalar) return node.quoted ? "'" + node.text + "'" : node.text;
  std::string out;
  for (const dsl::Node& item : node.items) out += (out.empty() ? "" : " ") + python_line_of(item);
  for (const dsl::Entry& e : node.entries) out += (out.empty() ? "" : " ") + e.key + "=" + python_line_of(e.value);
  return node.kind == dsl::Node::Kind::list ? "[" + out + "]" : "{" + out + "}";
}

inline std::string python_mistake_of(const dsl::Diagnostics& diagnostics) {
  if (diagnostics.list.empty()) return "";
  const dsl::Diagnostic& d = diagnostics.list.front();
  const std::string place = std::to_string(d.span.line) + ":" + std::to_string(d.span.column);
  return place + " " + d.message + (d.hint.empty() ? "" : " | " + d.hint);
}

/// What the reader makes of a text: the tree, or the mistake.
inline std::string python_result(const std::string& text) {
  const dsl::Source source{"a.py", text, ""};
  dsl::Diagnostics diagnostics;
  const dsl::Node node = planner::parse_python(source, {}, diagnostics);
  if (node.broken != diagnostics.has_errors()) return "broken without a mistake, or the reverse";
  return node.broken ? python_mistake_of(diagnostics) : python_line_of(node);
}
