// Files in the binary, each parsed at most once per process: their texts never change, and code that reads many files
// reads the same ones repeatedly. Most are parsed by the build.
#pragma once

#include <string>
#include <string_view>

#include "dsl/node.h"

namespace dsl {

/// The file of the binary that is shown as `name`, kept from its first use until the process ends. The same name and
/// text give the same object, in any thread. `packed`: its tree (dsl/packed_tree.h); empty: it is parsed here.
const Source& read_builtin(const std::string& name, std::string_view text, std::string_view packed = {});

/// parse_yaml of `source`; of one from read_builtin the packed tree, or a copy of the tree and of the messages that
/// were kept.
Node tree_of(const Source& source, Diagnostics& diagnostics);

}  // namespace dsl
