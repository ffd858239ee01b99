// The schema's rows as a tree of keys.
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

}  // namespace dsl
