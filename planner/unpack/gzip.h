// Files packed by gzip (RFC 1952).
#pragma once

#include <optional>
#include <string>

#include "dsl/diagnostic.h"

namespace planner::unpack {

/// By its first two bytes.
bool is_gzip(const std::string& bytes);

/// The text inside, of all members; nullopt: diagnosed. `most`: bytes of it, more is refused.
std::optional<std::string> gunzip(const dsl::Source& file, dsl::Diagnostics& diagnostics, size_t most);

}  // namespace planner::unpack
