// What every parser of a text asks first.
#pragma once

#include "dsl/node.h"

namespace dsl {

/// Returns false (diagnosed) for a text that is longer than its limit, or holds a byte that no text holds.
bool is_readable(const Source& source, Diagnostics& diagnostics, const ParseLimits& limits);

}  // namespace dsl
