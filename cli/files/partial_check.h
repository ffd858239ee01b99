// Checks for impossible contents of a partial result that was read back.
#pragma once

#include "cli/files/partial.h"
#include "cli/input/json_object.h"

namespace cli {

/// Diagnoses, in `document`, counts that are not those of one space, rows that are missing, there twice or of another
/// shard, and figures outside their range.
void check_possible(const Partial& partial, const JsonObject& document);

}  // namespace cli
