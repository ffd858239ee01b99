// Files in the binary, each parsed once in a process: their texts never change, and whatever reads many files
// asks for the same files again and again.
#pragma once

#include <string>
#include <string_view>

#include "dsl/node.h"

namespace dsl {

/// The file of the binary that is shown as `name`, parsed at its first use and kept until the process ends. The same
/// name and text give the same object, in any thread.
const Source& read_builtin(const std::string& name, std::string_view text);

/// parse_yaml of `source`; of one from read_builtin a copy of the tree and of the messages that were kept.
Node tree_of(const Source& source, Diagnostics& diagnostics);

}  // namespace dsl
