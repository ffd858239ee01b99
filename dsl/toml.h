// TOML with the place of every key and value, as configurations of programs write it (TOML 1.0).
//
// In the tree a number, `true`, `false` and a date are bare scalars. A string is a quoted one, whose control bytes (a
// line's end, "\t") are blanks: messages that repeat a name stay on one line. A number is written without '_', and as
// a decimal. The place of a table is its heading or opening brace, that of an array its bracket. Keys of a table are in
// written order: by the place where each is named first.
#pragma once

#include "dsl/node.h"

namespace dsl {

/// Returns the table of a TOML text. Diagnosed: text that is not TOML (duplicate keys are not), bytes that are not
/// text, the limits. The root is `broken` then.
Node parse_toml(const Source& source, Diagnostics& diagnostics, const ParseLimits& limits = {});

}  // namespace dsl
