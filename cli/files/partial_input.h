// A part of a search, read back from the JSON that it was printed as.
#pragma once

#include "cli/files/partial.h"
#include "dsl/json.h"

namespace cli {

/// Limits of a file of results.
inline constexpr dsl::ParseLimits kResultLimits{.bytes = 256 << 20, .depth = 16, .nodes = dsl::kWrittenLimits.nodes};

/// The JSON of a partial result, read back; nullopt with a diagnostic where the file holds anything else.
std::optional<Partial> read_partial(const dsl::Source& source, dsl::Diagnostics& diagnostics);

}  // namespace cli
