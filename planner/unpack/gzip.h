// Files packed by gzip (RFC 1952).
#pragma once

#include <optional>
#include <string>

#include "dsl/diagnostic.h"

namespace planner::unpack {

/// Returns whether the first two bytes are those of gzip.
bool is_gzip(const std::string& bytes);

/// Returns the text of all members, one after the other; nullopt: diagnosed. More than `most` bytes are refused.
std::optional<std::string> gunzip(const dsl::Source& file, dsl::Diagnostics& diagnostics, size_t most);

}  // namespace planner::unpack
