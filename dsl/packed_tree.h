// The parsed tree of a text that never changes, stored as bytes next to the text. Reading the bytes takes a hundredth
// of the time of parsing.
//
// The bytes hold the position of each scalar, key and comment in the text, not its content.
#pragma once

#include <string>
#include <string_view>

#include "dsl/node.h"

namespace dsl {

/// The tree that was parsed from `source` without a mistake, as bytes for `unpack_tree`.
std::string pack_tree(const Node& tree, const Source& source);

/// The tree again, its places in `source`. REQUIRES: `packed` is pack_tree of a source with the same text.
Node unpack_tree(std::string_view packed, const Source& source);

}  // namespace dsl
