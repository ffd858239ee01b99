// Nodes of a tree by their paths: "a.b[2].c".
#pragma once

#include <optional>
#include <string_view>

#include "dsl/node.h"

namespace dsl {

/// Takes the first step off a path: "a" of "a.b[2].c", then "b[2]".
std::string_view next_step(std::string_view& path);

/// Returns the node at a path; null if there is none. The path "" is the tree itself.
const Node* node_at(const Node& tree, std::string_view path);
Node* node_at(Node& tree, std::string_view path);
/// Returns the map entry at a path without list items; null if there is none.
Entry* entry_at(Node& tree, std::string_view path);
/// Returns a copy of the node, a null node where nothing is written and the default holds.
Node written_at(const Node& tree, std::string_view path);
/// Returns the node. Creates it and all maps on its path.
Node& make_at(Node& tree, std::string_view path);
/// Takes the entry out and returns its value; one without a place has that of its key.
std::optional<Node> take_at(Node& tree, std::string_view path);

/// Entries of a map whose keys came before, each with the first of its key.
struct RepeatedKey {
  const Entry *first, *again;
};
/// Sorted by key, because a file may have very many.
std::vector<RepeatedKey> repeated_keys(const Node& map);

}  // namespace dsl
