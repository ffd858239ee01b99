// Files packed by gzip (RFC 1952).
#pragma once

#include <optional>
#include <string>

#include "dsl/diagnostic.h"

namespace planner::seqpoint {

/// Unpacked, no text of a run is larger.
inline constexpr size_t kMostBytes = size_t{64} << 20;

/// By its first two bytes.
bool is_gzip(const std::string& bytes);

/// The text inside, of all members; nullopt: diagnosed. `most`: bytes of it.
std::optional<std::string> gunzip(const dsl::Source& file, dsl::Diagnostics& diagnostics, size_t most = kMostBytes);

}  // namespace planner::seqpoint
