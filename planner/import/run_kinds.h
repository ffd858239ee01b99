// Which program's a file is, by keys that only this program has.
#pragma once

#include <span>

#include "dsl/node.h"

namespace planner {

/// A kind of file. A path of `telling` may have '*' for any key: "modules.*.framework". One of the paths is enough.
struct RunKind {
  const char* word;   // of `import`; "": it is not read
  const char* title;  // "a configuration of accelerate"
  std::span<const char* const> telling;
  const char* instead = "";  // of one that is not read: what can be given
};

std::span<const RunKind> run_kinds();

/// Returns the kind of a YAML, JSON, TOML or Python text, whatever its name; null: unknown, or no such text.
const RunKind* kind_of(const dsl::Source& source);
/// Returns the kind of a tree; null: unknown.
const RunKind* kind_of_tree(const dsl::Node& tree);

/// Returns the tree of a YAML or JSON text. Words of Python's YAML for true and false (True, yes, on) become these.
dsl::Node parse_config(const dsl::Source& source, dsl::Diagnostics& diagnostics);

}  // namespace planner
