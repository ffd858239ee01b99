// The members of a ZIP archive (PKWARE APPNOTE 6.3, with ZIP64): stored or deflated, without encryption.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/diagnostic.h"

namespace planner::unpack {

struct ZipMember {
  std::string name;
  size_t at = 0;  // of its local header
  size_t packed = 0, size = 0;
  unsigned method = 0, flags = 0, checksum = 0;
};

/// Returns the central directory of the archive `archive.text`; nullopt: it is not an archive (diagnosed).
std::optional<std::vector<ZipMember>> zip_members(const dsl::Source& archive, dsl::Diagnostics& diagnostics);
/// Returns the content of a member; nullopt: it is damaged, packed in another way, or too large (diagnosed under its
/// name).
std::optional<std::string> unzip(const dsl::Source& archive, const ZipMember& member, dsl::Diagnostics& diagnostics);

}  // namespace planner::unpack
