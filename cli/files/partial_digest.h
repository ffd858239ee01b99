// A digest of the whole content of a partial result. It reveals a file that was cut or changed by hand.
#pragma once

#include "cli/report/report.h"
#include "dsl/node.h"

namespace cli {

/// Returns the FNV-1a hash of a text, going on from `hash`: 64 bits (Fowler, Noll, Vo).
uint64_t hashed(std::string_view text, uint64_t hash = 0xcbf29ce484222325);

/// Digests the counts, rows and `partial` of a report that is about to be printed. The order of the rows does not
/// matter, since --sort changes it.
std::string content_digest(const Report& report);
/// Digests the same of a document that was read back; the member that holds the digest is left out.
std::string content_digest(const dsl::Node& document);

/// Is the member of `partial` that holds the digest.
inline constexpr const char* kContent = "content";

}  // namespace cli
