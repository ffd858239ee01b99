// The schema's rows as a tree of keys, and a file's tree laid against it.
#pragma once

#include <string>
#include <string_view>

#include "dsl/record.h"

namespace dsl {

/// Returns "path.key"; at the root "key".
std::string path_below(std::string_view path, std::string_view key);

/// One key that a schema knows. A leaf has a field, a section has children.
struct SchemaNode {
  std::string name;  // "*": any key of a map
  const Field* field = nullptr;
  bool is_list = false;              // a list of maps
  std::vector<SchemaNode> children;  // in schema order

  const SchemaNode* find(std::string_view key) const;
  const SchemaNode* any() const { return find("*"); }
};
SchemaNode schema_tree(const Schema& schema);

/// One field of one file before evaluation.
struct WrittenField {
  std::string path;
  const Field* field = nullptr;
  const Node* node = nullptr;  // what is written, or null
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
