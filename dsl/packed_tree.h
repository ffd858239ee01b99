// The tree of a text that never changes, as bytes beside it: reading them takes a hundredth of parsing.
//
// The bytes hold where each scalar, key and comment stands in the text, not what it says.
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
