// The tree of a YAML text: null, scalar, list or map, each with its place. Scalars stay text; the field that reads a
// text decides its meaning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsl/diagnostic.h"

namespace dsl {

struct Entry;

struct Node {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  std::string text;     // scalar: its value after YAML quoting is undone
  bool quoted = false;  // scalar: was written in quotes
  bool broken = false;  // its mistake has been reported: report nothing more about it. Root: reading
                        // stopped; section: its `use` could not be followed; scalar: not a value
  std::string comment;  // scalar: the `# ...` that ends its line, without '#' (catalogue: the source of a figure)
  Span span;
  std::vector<Node> items;     // list
  std::vector<Entry> entries;  // map, in written order

  const Node* find(std::string_view key) const;  // map: the value of `key`, or null

  // Not in every file that copies or drops one: they are much code.
  Node() = default;
  explicit Node(Kind kind, Span span = {});
  Node(const Node&);
  Node(Node&&) noexcept;
  Node& operator=(const Node&);
  Node& operator=(Node&&) noexcept;
  ~Node();
};

struct Entry {
  std::string key;
  Span key_span;
  Node value;
};

/// "nothing", "a value", "a list", "a map".
const char* kind_name(const Node& node);

/// Returns a node whose mistake has been reported.
Node broken_node();

/// Returns a bare scalar located at `place`.
Node plain_node(std::string text, const Span& place);

/// Limits of one text; each has its own message.
struct ParseLimits {
  size_t bytes = 1 << 20;    // file size
  int depth = 64;            // nesting
  size_t nodes = 1'000'000;  // after aliases are expanded
};

/// The first check of every parser: false (diagnosed) for a text that is longer than its limit, or holds a byte that is
/// not text.
bool is_readable(const Source& source, Diagnostics& diagnostics, const ParseLimits& limits);

/// Parses one YAML document (YAML 1.2 core; aliases expanded). Refused with a
/// diagnostic each: duplicate keys, merge keys, self-referencing aliases, more
/// than one document, unterminated quotes, tags, non-ASCII outside comments and
/// quoted strings, control bytes, the limits above. On error the tree holds what could be read.
Node parse_yaml(const Source& source, Diagnostics& diagnostics, const ParseLimits& limits = {});
/// Parses the part of a one-line text that begins at `offset` (an override's value), as `parse_yaml` does.
Node parse_yaml_from(const Source& source, size_t offset, Diagnostics& diagnostics, const ParseLimits& limits = {});
/// Returns the one value of a JSON text as the same tree (json.h). Diagnosed: text that is not JSON, duplicate keys,
/// bytes that are not text, text behind the value, the limits above. The root is `broken` then.
Node parse_json(const Source& source, Diagnostics& diagnostics, const ParseLimits& limits = {});

}  // namespace dsl
