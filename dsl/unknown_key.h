// Explains why the schema does not have a key of a file.
#pragma once

#include "dsl/diagnostic.h"
#include "dsl/schema_tree.h"

namespace dsl {

/// The message about an unknown key, and the path of the probably intended key ("": unknown).
struct UnknownKey {
  Diagnostic told;
  std::string meant;
};

/// About the key `map.entries[at]` in the section `section` of the schema `root`, whose path is `path`.
UnknownKey explain_unknown_key(const Node& map, size_t at, const std::string& path, const SchemaNode& section,
                               const SchemaNode& root, const Vocabulary& vocabulary);

/// Whether a key is the third or a later group of a number with commas, "1,000,000": the second is reported for all.
bool continues_number(const Node& map, size_t at);

/// "NAME has A, B, C": the names of a section's keys.
std::string keys_hint(const std::string& path, const SchemaNode& section);

}  // namespace dsl
