// What a partial result that was read back cannot say.
#pragma once

#include "cli/input/json_object.h"
#include "cli/pages/partial.h"

namespace cli {

/// Is the most that a count may be, so that sums over shards stay whole numbers.
inline constexpr int64_t kMostCount = 1'000'000'000'000'000;
/// Is the most shards of a search.
inline constexpr int64_t kMostShards = 1'000'000;

/// Diagnoses, in `document`, counts that are not those of one space, rows that are missing, there twice or of another
/// shard, and figures outside their range.
void check_possible(const Partial& partial, const JsonObject& document);

}  // namespace cli
