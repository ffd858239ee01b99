// A file's tree, laid against the keys of a schema.
#pragma once

#include "dsl/schema_tree.h"

namespace dsl {

/// One field of one file before evaluation.
struct WrittenField {
  std::string path;
  const Field* field = nullptr;
  const Node* node = nullptr;  // the written node, or null
  Span parent;                 // the nearest parent that is written
  bool missing = false;        // required and not there (diagnosed)
};

/// Every field that the file has, written or not, in schema order.
struct WrittenFields {
  std::vector<WrittenField> places;
  std::map<std::string, size_t, std::less<>> list_sizes;
  std::map<std::string, std::vector<std::string>, std::less<>> map_keys;
};

/// Lays `tree` against the schema. Diagnoses unknown keys, sections that are not maps, and
/// missing fields (one message for a section that is missing as a whole). Special keys of the vocabulary are known.
WrittenFields lay_out(const Node& tree, const SchemaNode& schema, const Vocabulary& vocabulary,
                      Diagnostics& diagnostics);

}  // namespace dsl
